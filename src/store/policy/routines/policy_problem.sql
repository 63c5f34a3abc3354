-- What is wrong with a rule, or NULL. A condition gives one truth value, also for an empty document; a path would give what it finds.
CREATE OR REPLACE FUNCTION policy_problem(p_body text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_results int;
    v_is_truth boolean;
    v_unoffered text := policy_unoffered(p_body);
BEGIN
    IF v_unoffered IS NOT NULL THEN
        RETURN v_unoffered;
    END IF;
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
