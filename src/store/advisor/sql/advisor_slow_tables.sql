-- The tables that slow queries of a process were about, at most twenty; no row without such a process.
-- scope: project :project
SELECT d.document, 0 AS revision
FROM (SELECT jsonb_build_object('namespaces', coalesce((
          SELECT jsonb_agg(jsonb_build_object('namespace', t.namespace, 'type', 'collection') ORDER BY t.times DESC, t.namespace)
          FROM (SELECT s.namespace, count(*) AS times FROM slow_query q JOIN query_shape s ON s.cluster_id = m.cluster_id AND s.hash = q.hash AND s.database = q.database
                WHERE q.project_id = :project AND q.member_id = m.member_id AND q.at BETWEEN advisor_from(:query::jsonb) AND advisor_to(:query::jsonb) AND s.namespace IS NOT NULL
                GROUP BY s.namespace ORDER BY 2 DESC, 1 LIMIT 20) t), '[]'))::text AS document
      FROM advisor_process(:project, :process) m JOIN cluster o ON o.id = m.cluster_id WHERE o.project_id = :project) d
