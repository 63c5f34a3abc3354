-- How long a query may take before it counts as slow: 100 ms when the project says that it is fixed, otherwise ten times what one took on average in the last day,
-- and never less than that.
CREATE OR REPLACE FUNCTION slow_limit_ms(p_project bytea, p_cluster bytea) RETURNS double precision LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN (SELECT r.document -> 'enabled' = 'false' FROM resource r WHERE r.scope = p_project AND r.kind = 'managedSlowMs' AND r.name = '') THEN 100
           ELSE greatest(100, coalesce((SELECT 10 * sum(q.ms) / nullif(sum(q.calls), 0) FROM query_cost q
                                        WHERE q.cluster_id = p_cluster AND q.since > now() - interval '1 day'), 0)) END
$$;
