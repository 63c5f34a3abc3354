-- Records that a notification could not be sent, and gives it back or up. Nobody who lost it can.
-- scope: organization :organization
UPDATE alert_notification SET lease_until = NULL, last_status = :status::int, last_error = :why, next_try_at = now() + :retry_ms::bigint * interval '1 millisecond',
    state = :state
WHERE org_id = :organization AND id = :notification AND lease_epoch = :epoch::bigint AND state = 'PENDING'
RETURNING 1
