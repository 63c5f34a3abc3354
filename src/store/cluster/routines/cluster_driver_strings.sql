-- The same in the words of drivers that do not take libpq's: they refuse unknown words, ignore them, or send them to the server
-- as settings, which refuses them. NULL without names. With the port of the servers, or of the poolers beside them.
CREATE OR REPLACE FUNCTION cluster_driver_strings(p_names text[], p_port int) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
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
    FROM (SELECT string_agg(name || ':' || p_port, ',' ORDER BY place) AS list,
                 string_agg('host=' || name || ':' || p_port, '&' ORDER BY place) AS words,
                 jsonb_agg('postgresql://<DB_USER>:<DB_PASSWORD>@' || name || ':' || p_port
                           || '/postgres?sslmode=verify-full&query_timeout=15000' ORDER BY place) AS each
          FROM unnest(p_names) WITH ORDINALITY AS n (name, place)) hosts
$$;
