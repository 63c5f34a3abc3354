-- Forgets some exports that ended more than 400 days ago. What they wrote stays in its bucket. One that a schedule asked for is known for as long as its snapshot is:
-- else it would be due again.
-- scope: none, because the service sweeps by age
DELETE FROM export_job WHERE id IN (
    SELECT x.id FROM export_job x
    WHERE x.finished_at < now() - interval '400 days' AND (x.origin <> 'SCHEDULED' OR NOT EXISTS (SELECT FROM snapshot n WHERE n.id = x.snapshot_id))
    ORDER BY x.finished_at, x.id LIMIT :limit::bigint)
RETURNING encode(id, 'hex') AS export
