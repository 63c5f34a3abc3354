-- What a rule knows besides the document: of which kind it is, and sums that the language cannot make. Every variable has a value, because
-- one that is missing is an error. An empty list is what no comparison is true of.
CREATE OR REPLACE FUNCTION policy_variables(p_kind text, p_document jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE p_kind
        WHEN 'cluster' THEN jsonb_build_object('resource', 'CLUSTER',
            'members', (SELECT coalesce(sum(n::int), 0) FROM jsonb_path_query(p_document, '$.replicationSpecs[*].regionConfigs[*].*.nodeCount') n),
            'regions', (SELECT count(*) FROM jsonb_path_query(p_document, '$.replicationSpecs[*].regionConfigs[*]')))
        WHEN 'flexCluster' THEN '{"resource": "FLEX_CLUSTER", "members": 3, "regions": 1}'::jsonb
        ELSE '{"resource": "ACCESS_LIST_ENTRY", "members": [], "regions": []}'::jsonb END
$$;
