-- `drill` of a seat in its host's goal: the one that it is to run; NULL when there is none.
CREATE OR REPLACE FUNCTION drill_goal(p_seat bytea) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_build_object('id', encode(d.id, 'hex'), 'limitSeconds', 21600, 'assertionSeconds', 60, 'assertions',
                             (SELECT coalesce(json_agg(json_build_object('name', e ->> 'name', 'database', e ->> 'databaseName', 'sql', e ->> 'sql') ORDER BY n), '[]')
                              FROM jsonb_array_elements(d.assertions) WITH ORDINALITY u (e, n)))
    FROM drill d WHERE d.seat_id = p_seat AND d.finished_at IS NULL AND d.given_at IS NOT NULL
    ORDER BY d.given_at LIMIT 1
$$;
REVOKE ALL ON FUNCTION drill_goal(bytea) FROM PUBLIC;
