-- Records that a notification was sent, also when its alert was closed meanwhile. Nobody who lost it can.
-- scope: organization $1
UPDATE alert_notification SET state = 'SENT', sent_at = now(), lease_until = NULL, last_status = $4::int, last_error = NULL
WHERE org_id = $1 AND id = $2 AND lease_epoch = $3::bigint AND state IN ('PENDING', 'CANCELLED')
RETURNING 1
