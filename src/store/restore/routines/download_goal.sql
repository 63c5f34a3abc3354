-- `download` of a seat in its host's goal: what is to be made into a file and handed out, or removed; NULL when there is none.
CREATE OR REPLACE FUNCTION download_goal(p_seat bytea) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_build_object('id', encode(d.restore_id, 'hex'), 'desired', CASE WHEN d.ended_at IS NULL THEN 'SERVED' ELSE 'REMOVED' END,
                             'label', r.label, 'port', d.port, 'limitSeconds', 21600)
    FROM download d JOIN restore_job r ON r.id = d.restore_id
    WHERE d.seat_id = p_seat AND d.released_at IS NULL
$$;
REVOKE ALL ON FUNCTION download_goal(bytea) FROM PUBLIC;
