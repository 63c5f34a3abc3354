-- The strings of all drivers with the poolers' port in place of the servers'. NULL without names.
CREATE OR REPLACE FUNCTION cluster_pooled_strings(p_names text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE
    RETURN replace(cluster_driver_strings(p_names)::text, ':27017', ':' || pooler_port())::jsonb;
