-- How backups of a cluster are tried, with what its project says; no row without such a cluster.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT (drill_settings(:project, c.id) || jsonb_build_object('clusterName', c.name))::text AS document
      FROM resource c WHERE c.scope = :project AND c.kind = 'cluster' AND c.name = :name) d
