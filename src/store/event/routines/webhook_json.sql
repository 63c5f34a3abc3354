-- How a webhook looks in the API.
CREATE OR REPLACE FUNCTION webhook_json(w webhook) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(w.id, 'hex'),
        'url', w.url,
        'description', w.description,
        'eventTypes', coalesce(to_json(w.event_types), '[]'),
        'enabled', w.enabled,
        'createdAt', api_date(w.created_at),
        'state', CASE WHEN NOT w.enabled THEN 'DISABLED' WHEN w.paused_at IS NOT NULL THEN 'PAUSED'
                      WHEN w.failures > 0 THEN 'FAILING' ELSE 'ACTIVE' END,
        'deliveredSequence', w.delivered_seq,
        'pendingEvents', greatest(0, coalesce((SELECT c.seq FROM event_chain c WHERE c.org_id = w.org_id), 0) - w.delivered_seq),
        'lastDeliveryAt', api_date(w.last_delivery_at),
        'lastAttemptAt', api_date(w.last_attempt_at),
        'lastStatus', w.last_status,
        'lastError', w.last_error,
        'failures', w.failures,
        'failingSince', api_date(w.failing_since),
        'pausedAt', api_date(w.paused_at)))::text
$$;
