-- What is done with a cluster: IDLE when nothing is.
CREATE OR REPLACE FUNCTION cluster_change(p_project bytea, p_kind text, p_cluster bytea) RETURNS text LANGUAGE sql STABLE
    RETURN (SELECT r.state FROM resource r WHERE r.scope = p_project AND r.kind = CASE p_kind WHEN 'FLEX' THEN 'flexCluster' ELSE 'cluster' END AND r.id = p_cluster);
