-- The pinned tables of a cluster, as the API shows them.
CREATE OR REPLACE FUNCTION pinned_tables_document(p_cluster bytea, p_project bytea, p_tables jsonb) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN json_build_object('clusterId', encode(p_cluster, 'hex'), 'groupId', encode(p_project, 'hex'), 'pinnedNamespaces', p_tables)::text;
