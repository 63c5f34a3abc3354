-- How long lists are, and where their pages begin, kept up to date by every change so that nothing is counted or skipped
-- when a list is read.
--
-- A list (scope, kind) in the order of its ids is cut into segments of at most 64 rows, and those into blocks of at
-- most 128 segments. Each begins at its anchor and reaches to the next one's; the first anchor is empty, before every id.
-- A page is found by adding up blocks, then the segments of one block, then skipping rows inside one segment.
--
-- Exactness: list_counter is changed first, and its row lock makes the writers of one list take turns until they
-- commit. Every later statement of the trigger has a snapshot of its own, taken under that lock, so it sees exactly the
-- rows that the numbers count. One statement must not both add to and remove from the same list.

CREATE TABLE list_counter (
    scope reeve_id NOT NULL,
    kind  text NOT NULL,
    total bigint NOT NULL CHECK (total >= 0),
    PRIMARY KEY (scope, kind)
) WITH (fillfactor = 50);
CREATE TABLE list_block (
    scope  reeve_id NOT NULL,
    kind   text NOT NULL,
    anchor bytea NOT NULL,
    n      int NOT NULL CHECK (n >= 0),
    PRIMARY KEY (scope, kind, anchor)
) WITH (fillfactor = 50);
CREATE TABLE list_segment (
    scope  reeve_id NOT NULL,
    kind   text NOT NULL,
    anchor bytea NOT NULL,
    n      int NOT NULL CHECK (n >= 0),
    PRIMARY KEY (scope, kind, anchor)
) WITH (fillfactor = 70);

-- Where the row at `p_offset` (from 0) stands: begin at `anchor`, skip `skip` rows. No row for an empty list; beyond the
-- end the skip is larger than what is left. A plain SQL function, so that it becomes part of the statement's plan.
CREATE FUNCTION list_start(p_scope bytea, p_kind text, p_offset bigint) RETURNS TABLE (anchor bytea, skip bigint)
LANGUAGE sql STABLE AS $$
    SELECT segment.anchor, p_offset - block.before - segment.before
    FROM (SELECT b.anchor, b.before, b.next
          FROM (SELECT i.anchor, sum(i.n) OVER w - i.n AS before, lead(i.anchor) OVER w AS next
                FROM list_block i WHERE i.scope = p_scope AND i.kind = p_kind
                WINDOW w AS (ORDER BY i.anchor ROWS UNBOUNDED PRECEDING)) b
          WHERE b.before <= p_offset ORDER BY b.anchor DESC LIMIT 1) block
    CROSS JOIN LATERAL
         (SELECT s.anchor, s.before
          FROM (SELECT i.anchor, sum(i.n) OVER w - i.n AS before
                FROM list_segment i
                WHERE i.scope = p_scope AND i.kind = p_kind AND i.anchor >= block.anchor
                  AND i.anchor < coalesce(block.next, '\xffffffffffffffffffffffffff')
                WINDOW w AS (ORDER BY i.anchor ROWS UNBOUNDED PRECEDING)) s
          WHERE block.before + s.before <= p_offset ORDER BY s.anchor DESC LIMIT 1) segment
$$;

-- The ids of a list from one anchor to before another (NULL: to the end), in order.
CREATE FUNCTION list_ids(p_scope bytea, p_kind text, p_from bytea, p_to bytea) RETURNS SETOF bytea
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF p_kind = 'project' THEN
        RETURN QUERY SELECT p.id::bytea FROM project p
            WHERE p.org_id = p_scope AND p.id >= p_from AND (p_to IS NULL OR p.id < p_to) ORDER BY p.id;
    ELSE
        RETURN QUERY SELECT r.id::bytea FROM resource r
            WHERE r.scope = p_scope AND r.kind = p_kind AND r.id >= p_from AND (p_to IS NULL OR r.id < p_to) ORDER BY r.id;
    END IF;
END $$;

-- Cuts a segment that grew too large. Most lists grow at their end, where ids are newest: there the pieces are left
-- nearly full, elsewhere half full.
CREATE FUNCTION list_split_segment(p_scope bytea, p_kind text, p_anchor bytea) RETURNS void
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

-- Cuts a block that has too many segments.
CREATE FUNCTION list_split_block(p_scope bytea, p_kind text, p_anchor bytea) RETURNS void
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

-- Adds (p_sign 1) or removes (p_sign -1) rows that were just inserted into or deleted from one list.
CREATE FUNCTION list_change(p_scope bytea, p_kind text, p_ids bytea[], p_sign int) RETURNS void
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

-- The triggers run once a statement, however many rows it changed, and as the owner of the tables: a tenant can change a
-- list only through the rows themselves. Lists are taken in one order everywhere, so that two statements that change
-- several cannot wait for each other.
CREATE FUNCTION list_project_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_list record;
BEGIN
    FOR v_list IN SELECT a.org_id, array_agg(a.id::bytea) AS ids FROM added a GROUP BY 1 ORDER BY 1 LOOP
        PERFORM list_change(v_list.org_id, 'project', v_list.ids, 1);
    END LOOP;
    RETURN NULL;
END $$;
CREATE FUNCTION list_project_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_list record;
BEGIN
    FOR v_list IN SELECT r.org_id, array_agg(r.id::bytea) AS ids FROM removed r GROUP BY 1 ORDER BY 1 LOOP
        PERFORM list_change(v_list.org_id, 'project', v_list.ids, -1);
    END LOOP;
    RETURN NULL;
END $$;
CREATE FUNCTION list_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF OLD.org_id < NEW.org_id THEN
        PERFORM list_change(OLD.org_id, 'project', ARRAY[OLD.id::bytea], -1);
    END IF;
    PERFORM list_change(NEW.org_id, 'project', ARRAY[NEW.id::bytea], 1);
    IF OLD.org_id > NEW.org_id THEN
        PERFORM list_change(OLD.org_id, 'project', ARRAY[OLD.id::bytea], -1);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION list_resource_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_list record;
BEGIN
    FOR v_list IN SELECT a.scope, a.kind, array_agg(a.id::bytea) AS ids FROM added a GROUP BY 1, 2 ORDER BY 1, 2 LOOP
        PERFORM list_change(v_list.scope, v_list.kind, v_list.ids, 1);
    END LOOP;
    RETURN NULL;
END $$;
CREATE FUNCTION list_resource_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_list record;
BEGIN
    FOR v_list IN SELECT r.scope, r.kind, array_agg(r.id::bytea) AS ids FROM removed r GROUP BY 1, 2 ORDER BY 1, 2 LOOP
        PERFORM list_change(v_list.scope, v_list.kind, v_list.ids, -1);
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER list_added AFTER INSERT ON project REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION list_project_added();
CREATE TRIGGER list_removed AFTER DELETE ON project REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION list_project_removed();
CREATE TRIGGER list_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION list_project_moved();
CREATE TRIGGER list_added AFTER INSERT ON resource REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION list_resource_added();
CREATE TRIGGER list_removed AFTER DELETE ON resource REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION list_resource_removed();

-- The kind of the other table: a resource of that name would count in its list.
ALTER TABLE resource ADD CONSTRAINT resource_kind_is_free CHECK (kind <> 'project');
