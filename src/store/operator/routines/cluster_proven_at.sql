-- When a drill last restored a cluster's backups.
CREATE OR REPLACE FUNCTION cluster_proven_at(p_cluster bytea) RETURNS timestamptz LANGUAGE sql STABLE
    RETURN (SELECT max(d.finished_at) FROM drill d WHERE d.cluster_id = p_cluster AND d.state = 'PASSED');
