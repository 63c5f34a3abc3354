-- Downloads whose time is over, whose snapshot or seat is gone, or which nobody has made in time.
-- scope: none, because the worker ends those of all organizations
WITH due AS (
    UPDATE download d SET ended_at = now()
    FROM restore_job r LEFT JOIN snapshot n ON n.id = r.snapshot_id AND n.hidden_at IS NULL
    WHERE r.id = d.restore_id AND d.ended_at IS NULL
      AND (d.expires_at <= now() OR n.id IS NULL
           OR NOT EXISTS (SELECT FROM stanza_seat t WHERE t.id = d.seat_id AND t.host_id = d.host_id AND t.desired <> 'REMOVED')
           OR (r.state = 'RUNNING' AND r.created_at < now() - interval '13 hours'))
    RETURNING d.restore_id, n.id IS NULL AS is_without_snapshot)
UPDATE restore_job r
SET state = CASE r.state WHEN 'RUNNING' THEN 'FAILED' ELSE r.state END, finished_at = coalesce(r.finished_at, now()),
    problem = CASE WHEN r.state <> 'RUNNING' THEN r.problem WHEN d.is_without_snapshot THEN 'Its snapshot is gone.'
                   ELSE coalesce(r.problem, 'The repository host did not make it in time.') END
FROM due d WHERE r.id = d.restore_id
RETURNING encode(r.id, 'hex') AS restore
