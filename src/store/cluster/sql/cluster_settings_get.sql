-- The server settings of a cluster that its tenant changed.
-- scope: project :project
SELECT coalesce(r.document -> 'processArgs', '{}')::text AS document, text_revision(coalesce(r.document -> 'processArgs', '{}')::text) AS revision
FROM resource r WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :cluster_name
