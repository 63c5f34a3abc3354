-- Name of a member, as its server and its certificate have it.
CREATE OR REPLACE FUNCTION member_name(p_set_name text, p_ordinal int) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN p_set_name || '-shard-00-' || lpad(p_ordinal::text, greatest(2, length(p_ordinal::text)), '0');
