-- Takes a sweep that is due, for :lease_ms milliseconds; the next run is in :every_ms milliseconds, written before this one so that a worker that dies pays for it.
-- scope: none, because sweeps belong to the service
INSERT INTO sweep AS s (name, next_run_at, started_at, lease_owner, lease_epoch, lease_until)
VALUES (:name, now() + :every_ms::bigint * interval '1 millisecond', now(), :worker, 1, now() + :lease_ms::bigint * interval '1 millisecond')
ON CONFLICT (name) DO UPDATE SET next_run_at = excluded.next_run_at, started_at = now(), lease_owner = excluded.lease_owner,
    lease_epoch = s.lease_epoch + 1, lease_until = excluded.lease_until
WHERE s.next_run_at <= now() AND (s.lease_until IS NULL OR s.lease_until < now())
RETURNING lease_epoch
