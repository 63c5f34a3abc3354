-- Deletes some jobs that were finished more than :days days ago, oldest first; their histories go with them.
-- scope: none, because the service sweeps by age; row-level security shows it no younger ones
DELETE FROM job WHERE id IN (SELECT id FROM job WHERE finished_at < now() - :days::bigint * interval '1 day' ORDER BY finished_at LIMIT :limit::bigint)
