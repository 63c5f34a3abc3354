-- One shape of a cluster; no row without such a shape. None is ever rejected.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT jsonb_strip_nulls(jsonb_build_object('queryShapeHash', s.hash, 'queryShape', s.text, 'namespace', s.namespace, 'command', s.command, 'status', 'UNREJECTED'))::text AS document
      FROM resource r JOIN query_shape s ON s.project_id = :project AND s.cluster_id = r.id AND s.hash = :hash
      WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :name ORDER BY s.last_seen DESC, s.database LIMIT 1) d
