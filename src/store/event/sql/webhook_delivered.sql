-- Records a delivery up to a place, and keeps the webhook for $6 seconds more. Nobody who lost it can.
-- scope: organization $1
UPDATE webhook SET delivered_seq = $4::bigint, last_delivery_at = CASE WHEN $5::int IS NULL THEN last_delivery_at ELSE now() END,
    last_attempt_at = now(), last_status = coalesce($5::int, last_status), last_error = NULL, failures = 0, failing_since = NULL,
    next_try_at = now(), lease_until = now() + $6::bigint * interval '1 second'
WHERE org_id = $1 AND id = $2 AND lease_epoch = $3::bigint AND delivered_seq < $4::bigint
RETURNING 1
