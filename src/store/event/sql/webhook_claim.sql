-- Takes a webhook for $3 seconds, when it is still free and due. The delay until the next try is written before it is tried, so that a worker that dies pays for it.
-- scope: organization $1
UPDATE webhook SET lease_epoch = lease_epoch + 1, lease_until = now() + $3::bigint * interval '1 second',
    last_attempt_at = now(), next_try_at = now() + $4::bigint * interval '1 millisecond'
WHERE org_id = $1 AND id = (
    SELECT w.id FROM webhook w
    WHERE w.org_id = $1 AND w.id = $2 AND w.enabled AND w.paused_at IS NULL AND w.next_try_at <= now()
      AND (w.lease_until IS NULL OR w.lease_until < now())
    FOR UPDATE SKIP LOCKED)
RETURNING lease_epoch, url, encode(secret, 'hex'), array_to_string(event_types, ','), delivered_seq, failures
