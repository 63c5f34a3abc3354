-- Takes a notification for :lease_s seconds, when it is still free and due. The delay until the next try is written before it is tried, so that a worker that dies pays for it.
-- scope: organization :organization
UPDATE alert_notification SET lease_epoch = lease_epoch + 1, lease_until = now() + :lease_s::bigint * interval '1 second', tries = tries + 1,
    next_try_at = now() + :retry_ms::bigint * interval '1 millisecond'
WHERE org_id = :organization AND id = (
    SELECT n.id FROM alert_notification n JOIN alert a ON a.id = n.alert_id
    WHERE n.org_id = :organization AND n.id = :notification AND n.state = 'PENDING' AND n.next_try_at <= now()
      AND (n.lease_until IS NULL OR n.lease_until < now())
      AND (n.about = 'CLOSED' OR a.acknowledged_until IS NULL OR a.acknowledged_until <= now())
    FOR UPDATE OF n SKIP LOCKED)
RETURNING lease_epoch, tries, encode(notifier_id, 'hex') AS notifier, about, number, extract(epoch FROM now() - due_at)::bigint AS age_s
