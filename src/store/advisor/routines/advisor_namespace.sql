-- "shop.orders", or "shop.sales.orders" for a table of another schema than public.
CREATE OR REPLACE FUNCTION advisor_namespace(p_of jsonb) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN (p_of ->> 'database') || '.' || CASE WHEN p_of ->> 'schema' = 'public' THEN '' ELSE (p_of ->> 'schema') || '.' END || (p_of ->> 'table');
