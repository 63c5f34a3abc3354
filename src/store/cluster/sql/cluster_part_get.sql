-- A resource that hangs on clusters: by its name.
-- scope: project $1
SELECT document::text, text_revision(document::text), state FROM resource WHERE scope = $1 AND kind = $2 AND name = $3
