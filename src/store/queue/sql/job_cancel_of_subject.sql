-- Gives up the jobs of a subject that are not finished, besides those of one kind: something else comes in their place. Whoever works on one has lost its lease.
-- scope: organization :organization
UPDATE job SET state = 'CANCELLED', finished_at = now(), lease_epoch = lease_epoch + 1, lease_until = NULL
WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND subject = :cluster AND kind <> :besides_kind AND state IN ('QUEUED', 'RUNNING')
