-- The field without which the rule would not forbid: the deepest one that alone is enough. NULL when there is none.
CREATE OR REPLACE FUNCTION policy_field(p_body text, p_document jsonb, p_variables jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
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
