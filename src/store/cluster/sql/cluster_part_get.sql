-- A resource that hangs on clusters: by its name.
-- scope: project :project
SELECT document::text, text_revision(document::text) AS revision, state FROM resource WHERE scope = :project AND kind = :kind AND name = :name
