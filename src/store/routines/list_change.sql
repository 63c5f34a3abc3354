-- Adds (p_sign 1) or removes (p_sign -1) rows that were just inserted into or deleted from one list.
CREATE OR REPLACE FUNCTION list_change(p_scope bytea, p_kind text, p_ids bytea[], p_sign int) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_total bigint;
    v_odd bytea[];
    v_anchor bytea;
    v_id bytea;
    v_n int;
BEGIN
    -- First of all, because this lock is what everything below relies on.
    IF p_sign > 0 THEN
        INSERT INTO list_counter AS c (scope, kind, total) VALUES (p_scope, p_kind, cardinality(p_ids))
            ON CONFLICT (scope, kind) DO UPDATE SET total = c.total + excluded.total
            RETURNING c.total INTO v_total;
        IF v_total = cardinality(p_ids) THEN
            INSERT INTO list_block (scope, kind, anchor, n) VALUES (p_scope, p_kind, '', 0);
            INSERT INTO list_segment (scope, kind, anchor, n) VALUES (p_scope, p_kind, '', 0);
        END IF;
    ELSE
        UPDATE list_counter c SET total = c.total - cardinality(p_ids)
            WHERE c.scope = p_scope AND c.kind = p_kind RETURNING c.total INTO STRICT v_total;
        IF v_total = 0 THEN
            DELETE FROM list_segment s WHERE s.scope = p_scope AND s.kind = p_kind;
            DELETE FROM list_block b WHERE b.scope = p_scope AND b.kind = p_kind;
            DELETE FROM list_counter c WHERE c.scope = p_scope AND c.kind = p_kind;
            RETURN;
        END IF;
    END IF;

    IF cardinality(p_ids) <= 50 THEN
        -- Row by row, every statement by its whole key: no guess about sizes can make the planner read a list's length.
        FOREACH v_id IN ARRAY p_ids LOOP
            SELECT b.anchor INTO STRICT v_anchor FROM list_block b
                WHERE b.scope = p_scope AND b.kind = p_kind AND b.anchor <= v_id ORDER BY b.anchor DESC LIMIT 1;
            UPDATE list_block b SET n = b.n + p_sign
                WHERE b.scope = p_scope AND b.kind = p_kind AND b.anchor = v_anchor;
            SELECT s.anchor INTO STRICT v_anchor FROM list_segment s
                WHERE s.scope = p_scope AND s.kind = p_kind AND s.anchor <= v_id ORDER BY s.anchor DESC LIMIT 1;
            UPDATE list_segment s SET n = s.n + p_sign
                WHERE s.scope = p_scope AND s.kind = p_kind AND s.anchor = v_anchor RETURNING s.n INTO STRICT v_n;
            IF (v_n > 64 OR v_n = 0) AND NOT v_anchor = ANY (coalesce(v_odd, '{}')) THEN
                v_odd := v_odd || v_anchor;
            END IF;
        END LOOP;
    ELSE
        WITH difference AS (
            SELECT place.anchor, count(*)::int * p_sign AS n
            FROM unnest(p_ids) AS changed (id)
            CROSS JOIN LATERAL (SELECT b.anchor FROM list_block b
                                WHERE b.scope = p_scope AND b.kind = p_kind AND b.anchor <= changed.id
                                ORDER BY b.anchor DESC LIMIT 1) place
            GROUP BY place.anchor)
        UPDATE list_block b SET n = b.n + difference.n FROM difference
            WHERE b.scope = p_scope AND b.kind = p_kind AND b.anchor = difference.anchor;

        WITH difference AS (
            SELECT place.anchor, count(*)::int * p_sign AS n
            FROM unnest(p_ids) AS changed (id)
            CROSS JOIN LATERAL (SELECT s.anchor FROM list_segment s
                                WHERE s.scope = p_scope AND s.kind = p_kind AND s.anchor <= changed.id
                                ORDER BY s.anchor DESC LIMIT 1) place
            GROUP BY place.anchor),
        updated AS (
            UPDATE list_segment s SET n = s.n + difference.n FROM difference
                WHERE s.scope = p_scope AND s.kind = p_kind AND s.anchor = difference.anchor
                RETURNING s.anchor, s.n)
        SELECT array_agg(u.anchor) INTO v_odd FROM updated u WHERE u.n > 64 OR u.n = 0;
    END IF;
    IF v_odd IS NULL THEN
        RETURN;
    END IF;

    IF p_sign > 0 THEN
        FOREACH v_anchor IN ARRAY v_odd LOOP
            PERFORM list_split_segment(p_scope, p_kind, v_anchor);
        END LOOP;
        FOR v_anchor IN
            SELECT DISTINCT place.anchor
            FROM unnest(v_odd) AS grown (anchor)
            CROSS JOIN LATERAL (SELECT b.anchor FROM list_block b
                                WHERE b.scope = p_scope AND b.kind = p_kind AND b.anchor <= grown.anchor
                                ORDER BY b.anchor DESC LIMIT 1) place
        LOOP
            PERFORM list_split_block(p_scope, p_kind, v_anchor);
        END LOOP;
        RETURN;
    END IF;

    -- A segment that became empty goes: what is left of its gap belongs to the segment before it. One that begins a block
    -- stays as long as the block has rows, and the first of a list always.
    WITH gone AS (
        DELETE FROM list_block b
            USING unnest(v_odd) AS emptied (anchor)
            CROSS JOIN LATERAL (SELECT i.anchor FROM list_block i
                                WHERE i.scope = p_scope AND i.kind = p_kind AND i.anchor <= emptied.anchor
                                ORDER BY i.anchor DESC LIMIT 1) place
            WHERE b.scope = p_scope AND b.kind = p_kind AND b.anchor = place.anchor AND b.n = 0 AND b.anchor <> ''
            RETURNING b.anchor)
    SELECT v_odd || coalesce(array_agg(g.anchor), '{}') INTO v_odd FROM gone g;
    DELETE FROM list_segment s
        WHERE s.scope = p_scope AND s.kind = p_kind AND s.n = 0 AND s.anchor = ANY (v_odd)
          AND NOT EXISTS (SELECT FROM list_block b
                          WHERE b.scope = p_scope AND b.kind = p_kind AND b.anchor = s.anchor);
END $$;
