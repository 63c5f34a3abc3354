-- Which moments of a history can be restored, from whichever seat: the last piece of time without a gap that its seats cover together. Seats whose hosts say nothing
-- count only when all of them are silent: then it is what was known last.
CREATE OR REPLACE FUNCTION backup_window(p_stanza bytea, OUT window_from timestamptz, OUT window_to timestamptz) LANGUAGE sql STABLE AS $$
    WITH seats AS (SELECT t.window_from, t.window_to, seat_is_silent(t) AS is_silent FROM stanza_seat t
                   WHERE t.stanza_id = p_stanza AND t.desired <> 'REMOVED' AND t.window_from IS NOT NULL AND t.window_to IS NOT NULL),
         live AS (SELECT s.window_from, s.window_to FROM seats s WHERE NOT s.is_silent OR NOT EXISTS (SELECT FROM seats o WHERE NOT o.is_silent)),
         pieces AS (SELECT l.*, l.window_from > max(l.window_to) OVER (ORDER BY l.window_from, l.window_to ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_apart FROM live l)
    SELECT coalesce(max(p.window_from) FILTER (WHERE p.is_apart), min(p.window_from)), max(p.window_to) FROM pieces p
$$;
