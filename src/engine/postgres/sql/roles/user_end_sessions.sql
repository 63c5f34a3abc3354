-- Ends all sessions of the user $1.
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1
