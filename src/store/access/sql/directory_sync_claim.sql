-- Takes a project's directory for :lease_s seconds, when it is still free and due, and no other one of the organization is asked. Behind directory_sync_lock, which nobody else
-- of the organization passes meanwhile. The delay until the next try is written before it is tried, so that a worker that dies pays for it.
-- scope: none, because the worker serves all organizations
UPDATE directory_sync SET lease_epoch = lease_epoch + 1, lease_until = now() + :lease_s::bigint * interval '1 second',
    next_try_at = now() + :retry_ms::bigint * interval '1 millisecond', is_proven = false
WHERE project_id = (
    SELECT s.project_id FROM directory_sync s
    WHERE s.project_id = :project AND s.next_try_at <= now() AND s.rest_until <= now()
      AND NOT EXISTS (SELECT FROM directory_sync b WHERE b.org_id = s.org_id AND b.lease_until >= now())
    FOR UPDATE SKIP LOCKED)
RETURNING lease_epoch, failures, changes
