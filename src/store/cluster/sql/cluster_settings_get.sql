-- The server settings of a cluster that its tenant changed.
-- scope: project $1
SELECT coalesce(r.document -> 'processArgs', '{}')::text, text_revision(coalesce(r.document -> 'processArgs', '{}')::text)
FROM resource r WHERE r.scope = $1 AND r.kind = 'cluster' AND r.name = $2
