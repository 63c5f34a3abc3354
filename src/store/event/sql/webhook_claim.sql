-- Takes a webhook for :lease_s seconds, when it is still free and due. The delay until the next try is written before it is tried, so that a worker that dies pays for it.
-- scope: organization :organization
UPDATE webhook SET lease_epoch = lease_epoch + 1, lease_until = now() + :lease_s::bigint * interval '1 second',
    last_attempt_at = now(), next_try_at = now() + :retry_ms::bigint * interval '1 millisecond'
WHERE org_id = :organization AND id = (
    SELECT w.id FROM webhook w
    WHERE w.org_id = :organization AND w.id = :webhook AND w.enabled AND w.paused_at IS NULL AND w.next_try_at <= now()
      AND (w.lease_until IS NULL OR w.lease_until < now())
    FOR UPDATE SKIP LOCKED)
RETURNING lease_epoch, url, encode(secret, 'hex') AS secret, array_to_string(event_types, ',') AS event_types, delivered_seq, failures
