-- Takes an integration for :lease_s seconds, when it is still free and due. The delay until the next try is written before it is tried, so that a worker that dies pays for it.
-- scope: none, because the worker serves all organizations
UPDATE measurement_push SET lease_epoch = lease_epoch + 1, lease_until = now() + :lease_s::bigint * interval '1 second',
    next_try_at = now() + :retry_ms::bigint * interval '1 millisecond'
WHERE integration_id = (
    SELECT p.integration_id FROM measurement_push p
    WHERE p.integration_id = :integration AND p.next_try_at <= now() AND (p.lease_until IS NULL OR p.lease_until < now())
    FOR UPDATE SKIP LOCKED)
RETURNING lease_epoch, failures, (extract(epoch FROM since) * 1000)::bigint AS since_ms
