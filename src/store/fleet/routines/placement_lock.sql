-- Placing and releasing take turns: the hosts of one transaction are locked in whatever order it needs them.
CREATE OR REPLACE FUNCTION placement_lock() RETURNS void LANGUAGE sql VOLATILE
    AS $$ SELECT pg_advisory_xact_lock(7236277, 1) $$;
