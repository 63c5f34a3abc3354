-- A connection string in the words of libpq, and so of whatever is built on it. It survives the loss of a host: without the words of
-- time a client waits for a silent server as long as the kernel does, a quarter of an hour with a statement under way that was not
-- acknowledged, two hours with one that was. Three seconds a host: a pass over three hosts stays below ten.
-- docs/how-to/connect-an-application.md explains every word.
CREATE OR REPLACE FUNCTION cluster_connection_string(p_scheme text, p_hosts text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN p_scheme || '://<DB_USER>:<DB_PASSWORD>@' || p_hosts || '/postgres?target_session_attrs=read-write&sslmode=verify-full'
        || '&connect_timeout=3&keepalives_idle=5&keepalives_interval=2&keepalives_count=3&tcp_user_timeout=10000';
