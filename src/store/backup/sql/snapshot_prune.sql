-- Forgets some hidden snapshots of which nothing is left in any repository, a week later: a report that comes late must not bring one back.
-- scope: none, because the service sweeps by age
DELETE FROM snapshot WHERE id IN (
    SELECT s.id FROM snapshot s WHERE s.hidden_at < now() - interval '7 days' AND NOT EXISTS (SELECT FROM snapshot_copy c WHERE c.snapshot_id = s.id AND c.label IS NOT NULL)
    ORDER BY s.hidden_at, s.id LIMIT :limit::bigint)
