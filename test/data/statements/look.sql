-- What a statement did, for people to read: every change of every row is noted, with the names of world.sql in place of ids and the
-- time that is left or passed in place of dates.
CREATE TABLE test.change (what text NOT NULL);
CREATE TABLE test.key AS
    SELECT c.relname::text AS name, array_agg(a.attname::text ORDER BY array_position(i.indkey::int[], a.attnum::int)) AS columns
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey::int[])
    WHERE c.relnamespace = 'public'::regnamespace GROUP BY c.relname;

CREATE FUNCTION test.shown_date(v text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_at timestamptz := v::timestamptz;
    -- A date is as exact as its text: to the second, to the millisecond or more.
    v_away numeric := extract(epoch FROM v_at) - extract(epoch FROM CASE WHEN v !~ '\.\d' THEN date_trunc('second', now()) WHEN v !~ '\.\d{4}' THEN date_trunc('milliseconds', now()) ELSE now() END);
BEGIN
    RETURN CASE WHEN v_at < '2024-01-01 00:00+00' THEN v
                WHEN v_away = 0 THEN '<now>'
                WHEN v_away <> trunc(v_away) THEN '<about now' || CASE WHEN abs(v_away) < 600 THEN '' ELSE CASE WHEN v_away > 0 THEN '+' ELSE '' END || (round(v_away / 600) * 600)::bigint END || '>'
                ELSE '<now' || CASE WHEN v_away > 0 THEN '+' ELSE '' END || v_away::bigint || '>' END;
END $$;

CREATE FUNCTION test.render(v text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_found text;
BEGIN
    FOR v_found IN SELECT DISTINCT m[1] FROM regexp_matches(v, '(?<![0-9a-f])((?:[0-9a-f]{24}){1,2})(?![0-9a-f])', 'g') m ORDER BY m[1] DESC LOOP
        v := replace(v, v_found, (SELECT string_agg('<' || coalesce((SELECT n.name FROM test.name n WHERE n.id = decode(substr(v_found, i, 24), 'hex')), 'made just now') || '>', '' ORDER BY i)
                                  FROM generate_series(1, length(v_found), 24) i));
    END LOOP;
    v := regexp_replace(v, '\\+x<', '<', 'g');
    FOR v_found IN SELECT DISTINCT m[1] FROM regexp_matches(v, '(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::\d\d)?))', 'g') m LOOP
        v := replace(v, v_found, test.shown_date(v_found));
    END LOOP;
    FOR v_found IN SELECT DISTINCT m[1] FROM regexp_matches(v, '\m(1[7-9]\d{11})\M', 'g') m LOOP
        v := replace(v, v_found, CASE WHEN abs(v_found::bigint / 1000 - extract(epoch FROM now())) < 600 THEN '<now in milliseconds>' ELSE '<milliseconds>' END);
    END LOOP;
    RETURN regexp_replace(coalesce(v, 'null'), '\s*[\r\n]+\s*', ' ', 'g');
END $$;

-- A value of a column. Revisions are counted by a sequence, which begins at a million for each statement; some are hashes instead.
CREATE FUNCTION test.value(p_column text, v text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_column = 'text_revision' THEN '<revision>'
                WHEN p_column = 'revision' THEN CASE WHEN v::bigint BETWEEN 1000000 AND 1001000 THEN '<new revision>' ELSE '<revision>' END
                ELSE test.render(v) END
$$;

CREATE FUNCTION test.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    v_table text := regexp_replace(TG_TABLE_NAME, '_\d+$', '');
    v_old jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    v_new jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    v_columns text[] := coalesce((SELECT k.columns FROM test.key k WHERE k.name = v_table), ARRAY(SELECT jsonb_object_keys(coalesce(v_old, v_new))));
BEGIN
    INSERT INTO test.change
    SELECT CASE TG_OP WHEN 'INSERT' THEN '+ ' WHEN 'DELETE' THEN '- ' ELSE '~ ' END || v_table || ' '
           || (SELECT string_agg(test.value(c, coalesce(v_old, v_new) ->> c), ' ' ORDER BY n) FROM unnest(v_columns) WITH ORDINALITY k (c, n))
           || coalesce(': ' || CASE TG_OP
                  WHEN 'INSERT' THEN (SELECT string_agg(e.key || '=' || test.value(e.key, e.value), ', ' ORDER BY e.key) FROM jsonb_each_text(v_new) e WHERE e.value IS NOT NULL AND NOT e.key = ANY (v_columns))
                  WHEN 'UPDATE' THEN (SELECT string_agg(e.key || ' ' || test.value(e.key, v_old ->> e.key) || ' -> ' || test.value(e.key, e.value), ', ' ORDER BY e.key)
                                      FROM jsonb_each_text(v_new) e WHERE e.value IS DISTINCT FROM v_old ->> e.key) END, '');
    RETURN NULL;
END $$;

-- Which hosts' goals a transaction touches is kept for as long as it lasts.
DO $$
DECLARE
    v_table text;
BEGIN
    FOR v_table IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'goal_touch' LOOP
        EXECUTE format('CREATE TRIGGER zz_note AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION test.note()', v_table);
    END LOOP;
END $$;
