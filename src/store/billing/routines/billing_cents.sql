-- Seconds times micro-cents an hour, as whole cents.
CREATE OR REPLACE FUNCTION billing_cents(p_product numeric) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT round(p_product / 3600 / 1000000)::bigint $$;
