-- Usage is counted in whole seconds. A function of its own: tests put their own clock in its place.
CREATE OR REPLACE FUNCTION billing_now() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS $$ SELECT date_trunc('second', clock_timestamp()) $$;
