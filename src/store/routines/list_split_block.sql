-- Cuts a block that has too many segments.
CREATE OR REPLACE FUNCTION list_split_block(p_scope bytea, p_kind text, p_anchor bytea) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_next bytea := (SELECT b.anchor FROM list_block b
                     WHERE b.scope = p_scope AND b.kind = p_kind AND b.anchor > p_anchor ORDER BY b.anchor LIMIT 1);
    v_segments int := (SELECT count(*) FROM list_segment s
                       WHERE s.scope = p_scope AND s.kind = p_kind AND s.anchor >= p_anchor
                         AND (v_next IS NULL OR s.anchor < v_next));
    v_piece int := CASE WHEN v_next IS NULL THEN 115 ELSE 64 END;
BEGIN
    IF v_segments <= 128 THEN
        RETURN;
    END IF;
    INSERT INTO list_block (scope, kind, anchor, n)
        SELECT p_scope, p_kind, (array_agg(s.anchor ORDER BY s.anchor))[1], sum(s.n)
        FROM (SELECT i.anchor, i.n, (row_number() OVER (ORDER BY i.anchor) - 1) / v_piece AS part
              FROM list_segment i
              WHERE i.scope = p_scope AND i.kind = p_kind AND i.anchor >= p_anchor
                AND (v_next IS NULL OR i.anchor < v_next)) s
        GROUP BY s.part
    ON CONFLICT (scope, kind, anchor) DO UPDATE SET n = excluded.n;
END $$;
