-- Records a delivery up to a place, and keeps the webhook for :lease_s seconds more. Nobody who lost it can.
-- scope: organization :organization
UPDATE webhook SET delivered_seq = :seq::bigint, last_delivery_at = CASE WHEN :status::int IS NULL THEN last_delivery_at ELSE now() END,
    last_attempt_at = now(), last_status = coalesce(:status::int, last_status), last_error = NULL, failures = 0, failing_since = NULL,
    next_try_at = now(), lease_until = now() + :lease_s::bigint * interval '1 second'
WHERE org_id = :organization AND id = :webhook AND lease_epoch = :epoch::bigint AND delivered_seq < :seq::bigint
RETURNING 1
