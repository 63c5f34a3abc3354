-- Forgets some exports that ended more than 400 days ago. What they wrote stays in its bucket.
-- scope: none, because the service sweeps by age
DELETE FROM export_job WHERE id IN (
    SELECT x.id FROM export_job x WHERE x.finished_at < now() - interval '400 days' ORDER BY x.finished_at, x.id LIMIT :limit::bigint)
RETURNING encode(id, 'hex') AS export
