-- What a rule of a policy may consist of. The SQL/JSON path language can be made to compute for seconds: with numbers of a hundred thousand
-- digits, with filters inside filters, with repetition inside regular expressions. A rule looks at a document, and none of that is needed for it.
-- The check is made when a rule is written, and again whenever one is evaluated, because there may be older ones.

-- Why a rule is not offered, or NULL. Texts are taken out first: only the patterns of like_regex are looked into.
CREATE FUNCTION policy_unoffered(p_body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT CASE
        WHEN b ~ '\\' THEN 'escapes are offered within texts only'
        WHEN b ~ '[/%+]' OR b ~ '[]\w)"@$*]\s*-' OR b ~ '-\s*[^\s\d.]' OR regexp_replace(b, '\[\s*\*\s*\]|\.\s*\*{1,2}', '', 'g') ~ '\*' THEN 'arithmetic is not offered'
        WHEN b ~* '(^|[^\w$.])[0-9.][0-9._]*e' OR b ~ '[\d._]{20}' THEN 'a number may have at most 19 digits and no exponent'
        WHEN b ~ '\.\s*(string|number|decimal)\s*\(' THEN 'the methods string, number and decimal are not offered'
        WHEN b ~ '\?.*\?.*\?' THEN 'at most two filters are offered'
        WHEN b ~ '\*\s*\*.*\*\s*\*' THEN 'at most one .** is offered'
        WHEN p_body ~ 'like_regex\s*"(?:[^"\\]|\\.)*\{' OR p_body ~ 'like_regex\s*"(?:[^"\\]|\\\\[.dsw])*\\(?!\\[.dsw])'
            THEN 'a pattern of like_regex may have no braces, and of the escapes only those of ., d, s and w'
        WHEN length(p_body) > 2000 THEN 'it is too long'
    END
    FROM (SELECT regexp_replace(p_body, '"(?:[^"\\]|\\.)*"', '""', 'g') AS b) words
$$;

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
