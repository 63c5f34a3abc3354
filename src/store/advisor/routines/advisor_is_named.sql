-- Whether a list of names is empty, or has this one.
CREATE OR REPLACE FUNCTION advisor_is_named(p_list jsonb, p_name text) RETURNS boolean LANGUAGE sql IMMUTABLE
    RETURN coalesce(jsonb_array_length(p_list), 0) = 0 OR coalesce(p_list ? p_name, false);
