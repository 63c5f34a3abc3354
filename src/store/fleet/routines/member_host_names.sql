-- Under which names clients reach a member; its certificate holds them.
CREATE OR REPLACE FUNCTION member_host_names(p_set_name text, p_ordinal int, p_hash text, p_domain text) RETURNS text[] LANGUAGE sql IMMUTABLE
    RETURN ARRAY[member_name(p_set_name, p_ordinal) || '.' || p_hash || '.' || p_domain,
                 member_name(p_set_name, p_ordinal) || '-pri.' || p_hash || '.' || p_domain,
                 p_set_name || '.' || p_hash || '.' || p_domain];
