-- Drills that are not run: their host cannot, says nothing, or has lost them; or there is nothing to restore any more, which nobody has to be told. They free the
-- way for others.
-- scope: none, because the worker gives up those of all organizations
UPDATE drill d SET state = 'NOT_RUN', finished_at = now(), told_at = CASE WHEN t.state = 'REMOVING' OR e.desired = 'REMOVED' THEN now() END,
       problem = CASE WHEN t.state = 'REMOVING' OR e.desired = 'REMOVED' THEN 'The backups are being removed.'
                      WHEN d.state = 'QUEUED' THEN 'No repository host that keeps the backups was free.'
                      WHEN d.state = 'RUNNING' OR d.problem IS NULL THEN 'The repository host did not say what came of it.'
                      ELSE d.problem END
FROM backup_stanza t LEFT JOIN stanza_seat e ON e.stanza_id = t.id
WHERE t.id = d.stanza_id AND d.finished_at IS NULL AND (e.id = d.seat_id OR d.seat_id IS NULL)
  AND (t.state = 'REMOVING' OR (e.id = d.seat_id AND e.desired = 'REMOVED')
       OR (d.state = 'QUEUED' AND (d.requested_at < now() - interval '7 days' OR (d.given_at IS NOT NULL AND d.seat_id IS NULL)))
       OR (d.state IN ('WAITING', 'RUNNING') AND d.seat_id IS NULL)
       OR (d.state = 'WAITING' AND d.given_at < now() - interval '15 minutes')
       OR (d.state = 'RUNNING' AND d.given_at < now() - interval '13 hours'))
RETURNING encode(d.id, 'hex') AS drill
