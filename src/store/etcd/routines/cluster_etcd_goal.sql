-- How the members of a cluster reach etcd: the endpoints of its group, and the user that they have there.
CREATE OR REPLACE FUNCTION cluster_etcd_goal(p_cluster bytea, p_configured json) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_strip_nulls(json_build_object(
        'endpoints', CASE WHEN g.endpoints = '{}' THEN p_configured ELSE to_json(g.endpoints) END,
        'user', CASE WHEN g.auth = 'ON' OR g.early THEN c.etcd_user END,
        -- Opened by the node that sends the document (fleet/goal_secret.c).
        'etcdPassword', CASE WHEN c.etcd_user IS NOT NULL AND (g.auth = 'ON' OR g.early)
                             THEN 'sealed:' || encode(c.id, 'hex') || ':' || encode(c.etcd_password, 'hex') END))
    FROM cluster c JOIN etcd_group g ON g.name = c.etcd_group WHERE c.id = p_cluster
$$;
REVOKE ALL ON FUNCTION cluster_etcd_goal(bytea, json) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cluster_etcd_goal(bytea, json) TO reeve_reader;
