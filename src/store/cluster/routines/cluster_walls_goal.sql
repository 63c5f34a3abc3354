-- What is told about a cluster beside what 0014 has; host_goal() says it from 0033 on.
CREATE OR REPLACE FUNCTION cluster_walls_goal(p_cluster bytea) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS
    $$ SELECT coalesce((SELECT w.phase FROM cluster_walls w WHERE w.cluster_id = p_cluster), 'PREPARE') $$;
REVOKE ALL ON FUNCTION cluster_walls_goal(bytea) FROM PUBLIC;
