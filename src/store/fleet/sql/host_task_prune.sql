-- Deletes some tasks of hosts that were finished more than $2 days ago, oldest first.
-- scope: none, because the service sweeps by age; row-level security shows it no younger ones
DELETE FROM host_task WHERE id IN (SELECT id FROM host_task WHERE finished_at < now() - $2::bigint * interval '1 day'
                                   ORDER BY finished_at LIMIT $1::bigint)
