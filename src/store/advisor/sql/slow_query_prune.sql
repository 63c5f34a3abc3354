-- Removes slow queries of more than two days ago.
-- scope: none, because the service tidies up for everybody
DELETE FROM slow_query WHERE ctid IN (SELECT ctid FROM slow_query WHERE at < now() - interval '2 days' LIMIT :limit::bigint)
