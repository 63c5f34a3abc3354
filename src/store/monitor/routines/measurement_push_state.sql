-- How sending of measurements goes, as an integration shows it; nothing when none are sent. A tenant's transaction does not see the table.
CREATE OR REPLACE FUNCTION measurement_push_state(p_integration bytea) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce((
        SELECT jsonb_strip_nulls(jsonb_build_object(
            'state', CASE WHEN p.last_error IS NOT NULL THEN 'FAILING' WHEN p.last_sent_at IS NOT NULL THEN 'WORKING' ELSE 'WAITING' END,
            'lastError', p.last_error, 'lastSent', api_date(date_trunc('second', p.last_sent_at)), 'pointsSent', p.sent_points, 'pointsLeftOut', p.late_points))
        FROM measurement_push p WHERE p.integration_id = p_integration), '{}')
$$;
REVOKE ALL ON FUNCTION measurement_push_state(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION measurement_push_state(bytea) TO reeve_reader, reeve_tenant;
