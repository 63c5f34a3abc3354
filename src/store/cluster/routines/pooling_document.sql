-- Whether a cluster has poolers, as the API shows it. It is ready when the pooler of the primary serves: those of replicas wait.
CREATE OR REPLACE FUNCTION pooling_document(p_cluster bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'clusterId', encode(c.id, 'hex'),
        'groupId', encode(c.project_id, 'hex'),
        'enabled', c.pooling,
        'mode', c.pooling_mode,
        'port', c.pooler_port,
        'state', CASE WHEN c.pooling AND m.serves THEN 'READY' WHEN c.pooling THEN 'STARTING' WHEN m.is_there THEN 'STOPPING' ELSE 'OFF' END)::text
    FROM cluster c,
         LATERAL (SELECT coalesce(bool_or(o.pooler = 'SERVING' AND o.role = 'PRIMARY'), false) AS serves, coalesce(bool_or(o.pooler <> 'OFF'), false) AS is_there
                  FROM cluster_member o WHERE o.cluster_id = c.id AND o.desired = 'RUNNING') m
    WHERE c.id = p_cluster
$$;
