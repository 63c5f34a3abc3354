-- A number as few digits as it needs.
CREATE OR REPLACE FUNCTION billing_number(p_number numeric) RETURNS numeric LANGUAGE sql IMMUTABLE
    AS $$ SELECT trim_scale(round(p_number, 8)) $$;
