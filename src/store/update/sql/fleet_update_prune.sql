-- Deletes some rollouts that ended, or were begun and then forgotten, long ago.
-- scope: none, because the service sweeps by age
DELETE FROM fleet_update WHERE id IN (SELECT id FROM fleet_update WHERE state <> 'RUNNING' AND created_at < now() - make_interval(days => :days::int) ORDER BY created_at LIMIT :limit::bigint)
