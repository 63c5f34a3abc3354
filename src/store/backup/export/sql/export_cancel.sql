-- Exports that a schedule asked for and that have not begun, when it does not ask for any more. Nobody is told: somebody has switched it off.
-- scope: none, because the worker looks at those of all organizations
UPDATE export_job x SET finished_at = now(), told_at = now(), state = 'CANCELLED', code = 'EXPORT_SWITCHED_OFF', problem = 'The schedule does not export snapshots any more.'
WHERE x.origin = 'SCHEDULED' AND x.state = 'QUEUED'
  AND NOT EXISTS (SELECT FROM export_schedules() s WHERE s.project_id = x.project_id AND s.cluster_id = x.cluster_id)
RETURNING encode(x.id, 'hex') AS export
