-- Connection strings that survive the loss of a host. Without the words of time a client waits for a silent server as long as
-- the kernel does: a quarter of an hour with a statement under way that was not acknowledged, two hours with one that was.
-- docs/how-to/connect-an-application.md explains every word.

-- In the words of libpq, and so of whatever is built on it. Three seconds a host: a pass over three hosts stays below ten.
CREATE OR REPLACE FUNCTION cluster_connection_string(p_scheme text, p_hosts text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN p_scheme || '://<DB_USER>:<DB_PASSWORD>@' || p_hosts || '/postgres?target_session_attrs=read-write&sslmode=verify-full'
        || '&connect_timeout=3&keepalives_idle=5&keepalives_interval=2&keepalives_count=3&tcp_user_timeout=10000';

-- The same in the words of drivers that do not take libpq's: they refuse unknown words, ignore them, or send them to the server
-- as settings, which refuses them. NULL without names.
CREATE FUNCTION cluster_driver_strings(p_names text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_names IS NOT NULL THEN jsonb_build_object(
        'libpq', cluster_connection_string('postgresql', hosts.list),
        -- Unknown words become settings of the session. The time is that for all hosts together in version 4, for each in version 5.
        'pgx', 'postgresql://<DB_USER>:<DB_PASSWORD>@' || hosts.list || '/postgres?target_session_attrs=read-write&sslmode=verify-full'
            || '&connect_timeout=10',
        -- Java cannot set how long data may be unacknowledged: a statement that is silent for longer than socketTimeout is given up, and
        -- closing a connection over TLS waits for as long once more.
        'jdbc', 'jdbc:postgresql://' || hosts.list || '/postgres?user=<DB_USER>&password=<DB_PASSWORD>&targetServerType=primary'
            || '&sslmode=verify-full&connectTimeout=3&socketTimeout=10&tcpKeepAlive=true&hostRecheckSeconds=2',
        'npgsql', 'Host=' || hosts.list || ';Database=postgres;Username=<DB_USER>;Password=<DB_PASSWORD>;'
            || 'Target Session Attributes=primary;SSL Mode=VerifyFull;Timeout=3;Command Timeout=15;Keepalive=5;Host Recheck Seconds=2',
        'sqlalchemy', 'postgresql+psycopg2://<DB_USER>:<DB_PASSWORD>@/postgres?' || hosts.words
            || replace(cluster_connection_string('', ''), '://<DB_USER>:<DB_PASSWORD>@/postgres?', '&'),
        -- It knows one host a string: the application tries them in turn.
        'node', hosts.each) END
    FROM (SELECT string_agg(name || ':27017', ',' ORDER BY place) AS list,
                 string_agg('host=' || name || ':27017', '&' ORDER BY place) AS words,
                 jsonb_agg('postgresql://<DB_USER>:<DB_PASSWORD>@' || name
                           || ':27017/postgres?sslmode=verify-full&query_timeout=15000' ORDER BY place) AS each
          FROM unnest(p_names) WITH ORDINALITY AS n (name, place)) hosts
$$;

CREATE OR REPLACE FUNCTION cluster_connection_strings(p_cluster bytea) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH target AS (
        SELECT DISTINCT d.name, split_part(d.name, '.', 1) LIKE '%-pri' AS private
        FROM dns_record d WHERE d.cluster_id = p_cluster AND d.type IN ('A', 'AAAA')),
    names AS (
        SELECT array_agg(t.name ORDER BY t.name) FILTER (WHERE NOT t.private) AS standard,
               array_agg(t.name ORDER BY t.name) FILTER (WHERE t.private) AS private
        FROM target t),
    drivers AS (
        SELECT cluster_driver_strings(n.standard) AS standard, cluster_driver_strings(n.private) AS private FROM names n),
    service AS (
        SELECT DISTINCT replace(d.name, '_postgresql._tcp.', '') AS name, split_part(d.name, '.', 3) LIKE '%-pri' AS private
        FROM dns_record d WHERE d.cluster_id = p_cluster AND d.type = 'SRV')
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'standard', d.standard ->> 'libpq',
        'standardSrv', (SELECT cluster_connection_string('postgresql+srv', min(s.name)) FROM service s WHERE NOT s.private),
        'private', d.private ->> 'libpq',
        'privateSrv', (SELECT cluster_connection_string('postgresql+srv', min(s.name)) FROM service s WHERE s.private),
        'drivers', d.standard,
        'privateDrivers', d.private))
    FROM drivers d
$$;
