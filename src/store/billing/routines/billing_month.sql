-- The beginning of the month, in UTC.
CREATE OR REPLACE FUNCTION billing_month(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    AS $$ SELECT date_trunc('month', p_moment, 'UTC') $$;
