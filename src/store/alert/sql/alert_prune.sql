-- Deletes some alerts that were closed more than :days days ago, oldest first; their notifications go with them.
-- scope: none, because the service sweeps by age; row-level security shows it no younger ones
DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE status = 'CLOSED' AND resolved_at < now() - :days::bigint * interval '1 day'
                               ORDER BY resolved_at LIMIT :limit::bigint)
