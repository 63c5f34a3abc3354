-- Advice on the tables of a cluster; no row without such a cluster.
-- scope: project :project
SELECT d.document, 0 AS revision
FROM (SELECT advisor_tables(:project, r.id) AS document FROM resource r WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :name) d
