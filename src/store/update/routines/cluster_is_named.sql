-- Whether one of these words means the cluster: its id, its name, project/cluster, or its project's id or name.
CREATE OR REPLACE FUNCTION cluster_is_named(p_words jsonb, p_cluster bytea, p_name text, p_project bytea, p_project_name text) RETURNS boolean LANGUAGE sql IMMUTABLE
    RETURN p_words ?| ARRAY[encode(p_cluster, 'hex'), p_name, p_project_name || '/' || p_name, encode(p_project, 'hex'), p_project_name];
