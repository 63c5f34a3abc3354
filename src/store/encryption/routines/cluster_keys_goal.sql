-- `keys` of a cluster in its hosts' goals: for clusters that were made under a key, with the key service of their project if it has one now; otherwise NULL. The
-- client's key is sealed; the node that sends the document opens it (fleet/goal_secret.c).
CREATE OR REPLACE FUNCTION cluster_keys_goal(p_cluster bytea) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_strip_nulls(json_build_object(
        'required', true,
        'hostname', s.document -> 'kmip' ->> 'hostname',
        'port', (s.document -> 'kmip' ->> 'port')::int,
        'keyIdentifier', s.document -> 'kmip' ->> 'keyIdentifier',
        'caCertificate', s.document -> 'kmip' ->> 'caCertificate',
        'clientCertificate', s.document -> 'kmip' ->> 'clientCertificate',
        'keyServiceKey', 'sealed:' || encode(s.id, 'hex') || ':' || (s.document ->> 'sealed')))
    FROM resource c LEFT JOIN resource s ON s.scope = c.scope AND s.kind = 'encryptionAtRest' AND s.name = '' AND (s.document -> 'kmip' ->> 'enabled')::boolean
    WHERE c.id = p_cluster AND c.kind = 'cluster' AND c.document ->> 'encryptionAtRestProvider' = 'KMIP'
$$;
REVOKE ALL ON FUNCTION cluster_keys_goal(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cluster_keys_goal(bytea) TO reeve_reader;
