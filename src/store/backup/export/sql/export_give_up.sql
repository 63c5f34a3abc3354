-- Exports that are not run: their host cannot, says nothing, or has lost them; the operator has taken away the role of their bucket, or the backups are being removed, so that nobody can export them any more. They
-- free the way for others.
-- scope: none, because the worker gives up those of all organizations
UPDATE export_job x
SET finished_at = now(), state = CASE WHEN g.is_gone THEN 'CANCELLED' ELSE 'FAILED' END, code = CASE WHEN g.is_gone THEN 'BACKUPS_REMOVED' WHEN g.is_refused THEN 'EXPORT_ROLE_GONE' ELSE 'EXPORT_NOT_RUN' END,
    problem = CASE WHEN g.is_gone THEN 'The backups are being removed.'
                   WHEN g.is_refused THEN 'The operator has taken away the role with which the bucket is written to.'
                   WHEN x.state = 'QUEUED' THEN 'No repository host that has the snapshot was free.'
                   WHEN x.state = 'RUNNING' OR x.problem IS NULL THEN 'The repository host did not say what came of it.'
                   ELSE x.problem END
FROM (SELECT o.id, t.id IS NULL OR t.state = 'REMOVING' OR e.desired IS NOT DISTINCT FROM 'REMOVED' AS is_gone, export_role_is_gone(o.project_id, o.bucket_id) AS is_refused
      FROM export_job o LEFT JOIN backup_stanza t ON t.id = o.stanza_id LEFT JOIN stanza_seat e ON e.id = o.seat_id WHERE o.finished_at IS NULL) g
WHERE x.id = g.id AND x.finished_at IS NULL
  AND (g.is_gone OR g.is_refused OR (x.state = 'QUEUED' AND x.created_at < now() - interval '7 days')
       OR (x.state IN ('WAITING', 'RUNNING') AND x.seat_id IS NULL)
       OR (x.state = 'WAITING' AND x.given_at < now() - interval '1 hour')
       OR (x.state = 'RUNNING' AND x.given_at < now() - interval '3 days'))
RETURNING encode(x.id, 'hex') AS export
