-- Under which names clients reach a member; its certificate holds them.
CREATE OR REPLACE FUNCTION member_host_names(p_set_name text, p_host_label text, p_ordinal int, p_hash text, p_domain text) RETURNS text[] LANGUAGE sql IMMUTABLE
    RETURN ARRAY[member_name(p_set_name, p_host_label, p_ordinal) || '.' || p_hash || '.' || p_domain,
                 member_name(p_set_name, p_host_label, p_ordinal) || '-pri.' || p_hash || '.' || p_domain,
                 coalesce(p_host_label, p_set_name) || '.' || p_hash || '.' || p_domain];

-- The same for statements of nodes of the version before, while nodes are upgraded.
CREATE OR REPLACE FUNCTION member_host_names(p_set_name text, p_ordinal int, p_hash text, p_domain text) RETURNS text[] LANGUAGE sql STABLE
    RETURN (SELECT member_host_names(c.set_name, c.host_label, p_ordinal, p_hash, p_domain) FROM cluster c WHERE c.set_name = p_set_name);
