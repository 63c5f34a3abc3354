-- Whether the members of a cluster are under the key of its project.
CREATE OR REPLACE FUNCTION cluster_is_keyed(p_cluster bytea) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM resource r WHERE r.id = p_cluster AND r.kind = 'cluster' AND r.document ->> 'encryptionAtRestProvider' = 'KMIP')
$$;
REVOKE ALL ON FUNCTION cluster_is_keyed(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cluster_is_keyed(bytea) TO reeve_reader;
