-- Ends a session of the planner's role that does not end by itself: a function of a tenant can catch that it was cancelled, but not that it was ended.
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::int AND usename = 'reeve_planner'
