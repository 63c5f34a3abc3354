-- What strings of drivers ask of the member that they reach, in place of a primary. One host of node-postgres is as good as another. What is replaced has a sign that no
-- name of a host has.
CREATE OR REPLACE FUNCTION cluster_strings_for(p_drivers jsonb, p_libpq text, p_jdbc text) RETURNS jsonb LANGUAGE sql IMMUTABLE
    RETURN replace(replace(replace(p_drivers::text, 'target_session_attrs=read-write', 'target_session_attrs=' || p_libpq),
        'targetServerType=primary', 'targetServerType=' || p_jdbc), 'Target Session Attributes=primary', 'Target Session Attributes=' || p_libpq)::jsonb;
