-- Records a failure and gives the webhook back; after :pause_after_s seconds of failures it is paused. Nobody who lost it can.
-- scope: organization :organization
UPDATE webhook SET failures = failures + 1, failing_since = coalesce(failing_since, now()), last_status = :status::int, last_error = :why,
    next_try_at = now() + :retry_ms::bigint * interval '1 millisecond', lease_until = NULL,
    paused_at = CASE WHEN failing_since < now() - :pause_after_s::bigint * interval '1 second' THEN now() END
WHERE org_id = :organization AND id = :webhook AND lease_epoch = :epoch::bigint
RETURNING paused_at IS NOT NULL AS is_paused, webhook_json(webhook) AS document
