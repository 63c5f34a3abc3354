-- Cuts a segment that grew too large. Most lists grow at their end, where ids are newest: there the pieces are left
-- nearly full, elsewhere half full.
CREATE OR REPLACE FUNCTION list_split_segment(p_scope bytea, p_kind text, p_anchor bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_next bytea := (SELECT s.anchor FROM list_segment s
                     WHERE s.scope = p_scope AND s.kind = p_kind AND s.anchor > p_anchor ORDER BY s.anchor LIMIT 1);
    v_ids bytea[] := ARRAY(SELECT list_ids(p_scope, p_kind, p_anchor, v_next));
    v_piece int := CASE WHEN v_next IS NULL THEN 58 ELSE 32 END;
    v_expected int := (SELECT s.n FROM list_segment s
                       WHERE s.scope = p_scope AND s.kind = p_kind AND s.anchor = p_anchor);
BEGIN
    IF cardinality(v_ids) <> v_expected THEN
        RAISE EXCEPTION 'list % of % counts % rows from % where there are %',
            p_kind, encode(p_scope, 'hex'), v_expected, encode(p_anchor, 'hex'), cardinality(v_ids);
    END IF;
    UPDATE list_segment s SET n = least(v_piece, v_expected)
        WHERE s.scope = p_scope AND s.kind = p_kind AND s.anchor = p_anchor;
    INSERT INTO list_segment (scope, kind, anchor, n)
        SELECT p_scope, p_kind, v_ids[at + 1], least(v_piece, v_expected - at)
        FROM generate_series(v_piece, v_expected - 1, v_piece) at;
END $$;
