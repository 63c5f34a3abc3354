-- Forgets some drills that ended more than 400 days ago: whoever is asked for a year of evidence has it.
-- scope: none, because the service sweeps by age
DELETE FROM drill WHERE id IN (
    SELECT d.id FROM drill d WHERE d.finished_at < now() - interval '400 days' ORDER BY d.finished_at, d.id LIMIT :limit::bigint)
RETURNING encode(id, 'hex') AS drill
