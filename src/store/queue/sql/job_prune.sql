-- Deletes some jobs that were finished more than $2 days ago, oldest first; their histories go with them.
-- scope: none, because the service sweeps by age; row-level security shows it no younger ones
DELETE FROM job WHERE id IN (SELECT id FROM job WHERE finished_at < now() - $2::bigint * interval '1 day' ORDER BY finished_at LIMIT $1::bigint)
