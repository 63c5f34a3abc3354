-- Whether the files were read at $1 or later. A new session inherits the time from the process that accepted it: when that is not older than our
-- request, the files were read after we asked.
SELECT pg_conf_load_time() >= $1::timestamptz
