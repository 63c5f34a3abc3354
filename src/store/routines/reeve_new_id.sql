-- An identifier as base/id.h makes them, in the cell of another one.
CREATE OR REPLACE FUNCTION reeve_new_id(p_like bytea) RETURNS bytea LANGUAGE sql VOLATILE AS $$
    SELECT decode(lpad(to_hex(floor(extract(epoch FROM clock_timestamp()))::bigint), 8, '0'), 'hex')
           || substring(p_like FROM 5 FOR 2) || substring(uuid_send(gen_random_uuid()) FROM 1 FOR 6)
$$;
