-- Where poolers listen: PgBouncer's own port, on the address of each member.
CREATE OR REPLACE FUNCTION pooler_port() RETURNS int LANGUAGE sql IMMUTABLE
    RETURN 6432;
