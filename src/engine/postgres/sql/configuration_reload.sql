-- Has the server read its files again, and says when it was asked to.
SELECT clock_timestamp(), pg_reload_conf()
