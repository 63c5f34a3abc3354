-- Deletes some records of processes that were not there for a day.
-- scope: none, because the service sweeps by age
DELETE FROM instance WHERE (kind, name) IN (SELECT kind, name FROM instance WHERE seen_at < now() - interval '1 day' ORDER BY seen_at LIMIT :limit::bigint)
