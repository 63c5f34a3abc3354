-- Slow queries of a process, newest first; no row without such a process.
-- scope: project :project
SELECT d.document, 0 AS revision
FROM (SELECT jsonb_build_object('slowQueries', coalesce((
          SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
              'line', format('%s duration: %s ms  %s', api_date(t.at), round(t.ms::numeric, 3), t.text), 'namespace', coalesce(t.namespace, t.database),
              'metrics', CASE WHEN :query::jsonb ->> 'includeMetrics' = 'true' THEN jsonb_build_object('operationExecutionTime', round(t.ms), 'fromUserConnection', true) END,
              'opType', CASE WHEN :query::jsonb ->> 'includeOpType' = 'true' THEN t.command END,
              'replicaState', CASE WHEN :query::jsonb ->> 'includeReplicaState' = 'true' THEN CASE WHEN t.is_primary THEN 'PRIMARY' ELSE 'SECONDARY' END END)) ORDER BY t.at DESC)
          FROM (SELECT q.at, q.ms, q.is_primary, s.text, s.namespace, s.database, s.command
                FROM slow_query q JOIN query_shape s ON s.cluster_id = m.cluster_id AND s.hash = q.hash AND s.database = q.database
                WHERE q.project_id = :project AND q.member_id = m.member_id AND q.at BETWEEN advisor_from(:query::jsonb) AND advisor_to(:query::jsonb)
                  AND advisor_is_named(:query::jsonb -> 'namespaces', s.namespace)
                ORDER BY q.at DESC LIMIT coalesce((:query::jsonb ->> 'nLogs')::int, 20000)) t), '[]'))::text AS document
      FROM advisor_process(:project, :process) m JOIN cluster o ON o.id = m.cluster_id WHERE o.project_id = :project) d
