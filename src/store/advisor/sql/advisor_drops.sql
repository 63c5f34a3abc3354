-- Indexes of a cluster that could go; no row without such a cluster.
-- scope: project :project
SELECT d.document, 0 AS revision
FROM (SELECT advisor_drops(:project, r.id) AS document FROM resource r WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :name) d
