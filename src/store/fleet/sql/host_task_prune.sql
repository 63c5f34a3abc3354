-- Deletes some tasks of hosts that were finished more than :days days ago, oldest first.
-- scope: none, because the service sweeps by age; row-level security shows it no younger ones
DELETE FROM host_task WHERE id IN (SELECT id FROM host_task WHERE finished_at < now() - :days::bigint * interval '1 day'
                                   ORDER BY finished_at LIMIT :limit::bigint)
