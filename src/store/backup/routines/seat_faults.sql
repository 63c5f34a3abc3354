-- What is to be told about a seat, because something else was told last: FAILING and WORKING are about what its host does now, DAMAGED and SOUND about what it
-- keeps. A short failure is none, and nobody receives from a cluster that is paused. WORKING and SOUND are about the cluster: while the same is wrong with another
-- of its seats it is only noted that this one has RECOVERED, or is MENDED. What is wrong with a seat that goes is over.
CREATE OR REPLACE FUNCTION seat_faults(p_seat bytea) RETURNS TABLE (kind text, document text) LANGUAGE sql STABLE AS $$
    SELECT v.kind, jsonb_strip_nulls(v.document || jsonb_build_object('seatId', encode(t.id, 'hex')))::text
    FROM stanza_seat t
    JOIN backup_stanza s ON s.id = t.stanza_id
    LEFT JOIN resource r ON r.scope = s.project_id AND r.kind IN ('cluster', 'flexCluster') AND r.id = s.cluster_id
    CROSS JOIN LATERAL (SELECT t.desired = 'RUNNING' AND r.document IS NOT NULL AND coalesce(r.document ->> 'paused', 'false') = 'false' AS runs,
                               t.reported_at < now() - interval '5 minutes' AS is_silent, t.window_to > now() + interval '5 minutes' AS is_ahead) h
    CROSS JOIN LATERAL (SELECT h.runs AND (coalesce(h.is_silent, false) OR coalesce(h.is_ahead, false) OR coalesce(t.failing_since < now() - interval '1 minute', false)) AS is_failing) f
    CROSS JOIN LATERAL (SELECT count(*) AS count, min(l.until) AS until, left(string_agg(l.problem, ' ' ORDER BY l.key), 1000) AS problem
                        FROM seat_losses(t.id) l WHERE l.key <> ALL (t.losses_told)) l
    CROSS JOIN LATERAL (SELECT coalesce(bool_or(e.failing_told), false) AS is_failing, coalesce(bool_or(e.damaged_since IS NOT NULL), false) AS is_damaged
                        FROM stanza_seat e WHERE e.stanza_id = t.stanza_id AND e.id <> t.id) o
    CROSS JOIN LATERAL (VALUES
        ('FAILING', f.is_failing AND NOT t.failing_told,
         jsonb_build_object('problem', CASE WHEN h.is_silent THEN 'The repository host says nothing.'
                                            WHEN t.problem IS NULL AND h.is_ahead THEN 'The clocks of the primary and of the repository host are ahead of this service''s.'
                                            ELSE t.problem END, 'to', api_date(t.window_to))),
        (CASE WHEN o.is_failing THEN 'RECOVERED' ELSE 'WORKING' END,
         t.failing_told AND NOT f.is_failing AND (NOT h.runs OR (t.failing_since IS NULL AND t.reported_at IS NOT NULL)), jsonb_build_object('to', api_date(t.window_to))),
        ('DAMAGED', l.count > 0 AND t.desired <> 'REMOVED', jsonb_build_object('problem', l.problem, 'lostAfter', api_date(l.until))),
        (CASE WHEN o.is_damaged THEN 'MENDED' ELSE 'SOUND' END,
         t.damaged_since IS NOT NULL AND (t.desired = 'REMOVED' OR (l.count = 0 AND t.damaged_since < now() - interval '1 minute'
             AND (seat_is_sound(t.id) OR NOT EXISTS (SELECT FROM seat_losses(t.id))))),
         jsonb_build_object('from', api_date(t.window_from), 'to', api_date(t.window_to)))) v (kind, holds, document)
    WHERE t.id = p_seat AND s.state <> 'REMOVING' AND v.holds
$$;
