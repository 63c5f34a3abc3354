-- How many members of a project's clusters have keys that are not, or not yet, wrapped with this one. Their hosts say what they are wrapped with.
CREATE OR REPLACE FUNCTION members_on_other_keys(p_project bytea, p_key text) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id JOIN host h ON h.id = m.host_id
    WHERE c.project_id = p_project AND cluster_is_keyed(c.id) AND m.desired IN ('RUNNING', 'STOPPED')
      AND NOT coalesce(h.facts -> 'keys', '[]') ? (encode(m.id, 'hex') || '=' || p_key)
$$;
REVOKE ALL ON FUNCTION members_on_other_keys(bytea, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION members_on_other_keys(bytea, text) TO reeve_reader;
