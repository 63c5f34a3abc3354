-- Name of a member, as its server and its certificate have it, and the first label of its host names. People count from one; the names of clusters from before do not.
CREATE OR REPLACE FUNCTION member_name(p_set_name text, p_host_label text, p_ordinal int) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN p_host_label IS NULL THEN p_set_name || '-shard-00-' || lpad(p_ordinal::text, greatest(2, length(p_ordinal::text)), '0')
                ELSE p_host_label || '-' || (p_ordinal + 1) END;

-- The same for statements of nodes of the version before, while nodes are upgraded.
CREATE OR REPLACE FUNCTION member_name(p_set_name text, p_ordinal int) RETURNS text LANGUAGE sql STABLE
    RETURN (SELECT member_name(c.set_name, c.host_label, p_ordinal) FROM cluster c WHERE c.set_name = p_set_name);
