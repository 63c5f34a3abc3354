-- Records that a notification could not be sent, and gives it back or up. Nobody who lost it can.
-- scope: organization $1
UPDATE alert_notification SET lease_until = NULL, last_status = $4::int, last_error = $5, next_try_at = now() + $6::bigint * interval '1 millisecond',
    state = $7
WHERE org_id = $1 AND id = $2 AND lease_epoch = $3::bigint AND state = 'PENDING'
RETURNING 1
