-- The beginning of the hour, in UTC.
CREATE OR REPLACE FUNCTION billing_hour(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    AS $$ SELECT date_trunc('hour', p_moment, 'UTC') $$;
