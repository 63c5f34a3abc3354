-- The try ended in an error: gives the job back; when it is tried again was written before the try. Says whether the reason is a new one.
-- scope: organization $1
UPDATE job j SET waits_for = $4, lease_until = NULL
FROM (SELECT id, waits_for FROM job WHERE org_id IS NOT DISTINCT FROM $1::bytea AND id = $2) before
WHERE j.org_id IS NOT DISTINCT FROM $1::bytea AND j.id = before.id AND j.lease_epoch = $3::bigint AND j.state = 'RUNNING'
RETURNING before.waits_for IS DISTINCT FROM $4
