-- What the shapes of a cluster cost in the period of a query, on the processes that it names; the most expensive first.
CREATE OR REPLACE FUNCTION advisor_shape_costs(p_project bytea, p_cluster bytea, p_query jsonb) RETURNS TABLE (hash text, document jsonb) LANGUAGE sql STABLE AS $$
    SELECT s.hash, jsonb_strip_nulls(jsonb_build_object(
        'queryShapeHash', s.hash, 'queryShape', s.text, 'namespace', s.namespace, 'command', s.command, 'systemQuery', false,
        'execCount', sum(c.calls), 'totalWorkingMillis', round(sum(c.ms)::numeric, 3), 'avgWorkingMillis', round((sum(c.ms) / sum(c.calls))::numeric, 3),
        'docsReturned', sum(c.rows), 'bytesRead', sum(c.bytes)))
    FROM query_cost c
    JOIN advisor_members(p_project, p_cluster, p_query -> 'processIds') m ON m.member_id = c.member_id
    JOIN query_shape s ON s.cluster_id = c.cluster_id AND s.hash = c.hash AND s.database = c.database
    WHERE c.cluster_id = p_cluster AND c.since > advisor_from(p_query) - interval '10 minutes' AND c.since <= advisor_to(p_query)
      AND advisor_is_named(p_query -> 'namespaces', s.namespace) AND advisor_is_named(p_query -> 'commands', s.command)
      AND advisor_is_named(p_query -> 'queryShapeHashes', s.hash)
    GROUP BY s.cluster_id, s.hash, s.database, s.text, s.namespace, s.command
    ORDER BY sum(c.ms) DESC, s.hash
    LIMIT coalesce((p_query ->> 'nSummaries')::int, 100)
$$;
