-- Records that a notification was sent, also when its alert was closed meanwhile. Nobody who lost it can.
-- scope: organization :organization
UPDATE alert_notification SET state = 'SENT', sent_at = now(), lease_until = NULL, last_status = :status::int, last_error = NULL
WHERE org_id = :organization AND id = :notification AND lease_epoch = :epoch::bigint AND state IN ('PENDING', 'CANCELLED')
RETURNING 1
