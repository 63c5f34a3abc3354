-- What one shape of a cluster cost; no row without such a shape.
-- scope: project :project
SELECT d.document, 0 AS revision
FROM (SELECT jsonb_build_object(
          'queryStats', coalesce((SELECT c.document FROM advisor_shape_costs(:project, r.id, :query::jsonb || jsonb_build_object('queryShapeHashes', jsonb_build_array(:hash::text))) c LIMIT 1),
                                 jsonb_strip_nulls(jsonb_build_object('queryShapeHash', s.hash, 'queryShape', s.text, 'namespace', s.namespace, 'command', s.command,
                                     'systemQuery', false, 'execCount', 0, 'totalWorkingMillis', 0, 'avgWorkingMillis', 0, 'docsReturned', 0, 'bytesRead', 0))),
          'firstSeen', jsonb_build_object('timestamp', (extract(epoch FROM s.first_seen) * 1000)::bigint),
          'lastSeen', jsonb_build_object('timestamp', (extract(epoch FROM s.last_seen) * 1000)::bigint))::text AS document
      FROM resource r JOIN query_shape s ON s.project_id = :project AND s.cluster_id = r.id AND s.hash = :hash
      WHERE r.scope = :project AND r.kind = 'cluster' AND r.name = :name ORDER BY s.last_seen DESC, s.database LIMIT 1) d
