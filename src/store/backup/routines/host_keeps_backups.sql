-- Whether the pgBackRest that a host reported can do what backups need: 2.55 is the first that knows all versions of PostgreSQL which are
-- offered. A host without one, or with an older one, takes no seat.
CREATE OR REPLACE FUNCTION host_keeps_backups(p_host host) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_host.facts ->> 'pgbackrestVersion' ~ '^\d{1,4}\.\d{1,4}'
                THEN string_to_array(substring(p_host.facts ->> 'pgbackrestVersion' FROM '^\d+\.\d+'), '.')::int[] >= ARRAY[2, 55]
                ELSE false END
$$;
