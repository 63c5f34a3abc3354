-- Resource policies: rules in the SQL/JSON path language, evaluated by this database. A policy is a resource of its organization
-- (kind resourcePolicy); here is what judges. docs/internals/policies.md has the reasons.

-- What a rule knows besides the document: of which kind it is, and sums that the language cannot make. Every variable has a value, because
-- one that is missing is an error. An empty list is what no comparison is true of.
CREATE FUNCTION policy_variables(p_kind text, p_document jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE p_kind
        WHEN 'cluster' THEN jsonb_build_object('resource', 'CLUSTER',
            'members', (SELECT coalesce(sum(n::int), 0) FROM jsonb_path_query(p_document, '$.replicationSpecs[*].regionConfigs[*].*.nodeCount') n),
            'regions', (SELECT count(*) FROM jsonb_path_query(p_document, '$.replicationSpecs[*].regionConfigs[*]')))
        WHEN 'flexCluster' THEN '{"resource": "FLEX_CLUSTER", "members": 3, "regions": 1}'::jsonb
        ELSE '{"resource": "ACCESS_LIST_ENTRY", "members": [], "regions": []}'::jsonb END
$$;

-- Whether a rule forbids a document. What cannot be evaluated, as a text that is no date, forbids nothing.
CREATE FUNCTION policy_forbids(p_body text, p_document jsonb, p_variables jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_path_match(p_document, p_body::jsonpath, p_variables, true), false)
$$;

-- What is wrong with a rule, or NULL. A condition gives one truth value, also for an empty document; a path would give what it finds.
CREATE FUNCTION policy_problem(p_body text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_results int;
    v_is_truth boolean;
BEGIN
    SELECT count(*), bool_and(jsonb_typeof(v) IN ('boolean', 'null')) INTO v_results, v_is_truth
    FROM jsonb_path_query('{}', p_body::jsonpath, '{"resource": "CLUSTER", "members": 3, "regions": 1}', true) v;
    IF v_results <> 1 OR v_is_truth IS NOT TRUE THEN
        RETURN 'it is a path and not a condition';
    END IF;
    RETURN NULL;
EXCEPTION
    WHEN syntax_error OR invalid_text_representation OR invalid_regular_expression OR feature_not_supported OR undefined_object THEN
        RETURN SQLERRM;
END $$;

-- The field without which the rule would not forbid: the deepest one that alone is enough. NULL when there is none.
CREATE FUNCTION policy_field(p_body text, p_document jsonb, p_variables jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    WITH RECURSIVE field (path) AS (
        SELECT '{}'::text[]
        UNION ALL
        SELECT f.path || k.name
        FROM field f
        CROSS JOIN LATERAL (SELECT p_document #> f.path AS value) v
        CROSS JOIN LATERAL (
            SELECT jsonb_object_keys(CASE jsonb_typeof(v.value) WHEN 'object' THEN v.value ELSE '{}' END) AS name
            UNION ALL
            SELECT n::text FROM generate_series(0, CASE jsonb_typeof(v.value) WHEN 'array' THEN jsonb_array_length(v.value) ELSE 0 END - 1) n
        ) k
        WHERE cardinality(f.path) < 8 AND NOT policy_forbids(p_body, p_document #- (f.path || k.name), p_variables))
    SELECT coalesce(
        (SELECT array_to_string(path, '.') FROM field WHERE path <> '{}' ORDER BY cardinality(path) DESC, path LIMIT 1),
        (SELECT '$' || name FROM jsonb_object_keys(p_variables - 'resource') name
         WHERE NOT policy_forbids(p_body, p_document, p_variables || jsonb_build_object(name, '[]'::jsonb)) ORDER BY name LIMIT 1))
$$;
