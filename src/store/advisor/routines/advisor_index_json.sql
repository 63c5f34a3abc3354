-- The columns of an index, "+a" or "-b" each, as the API shows them: [{"a": 1}, {"b": -1}].
CREATE OR REPLACE FUNCTION advisor_index_json(p_keys jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE
    RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object(substr(k, 2), CASE WHEN k LIKE '-%' THEN -1 ELSE 1 END) ORDER BY n), '[]')
            FROM jsonb_array_elements_text(p_keys) WITH ORDINALITY u (k, n));
