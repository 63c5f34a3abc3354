-- Gives a job up: one that no worker has begun, or one that failed.
-- scope: organization $1
UPDATE job SET state = 'CANCELLED', finished_at = now(), lease_until = NULL
WHERE org_id IS NOT DISTINCT FROM $1::bytea AND id = (
    SELECT j.id FROM job j WHERE j.org_id IS NOT DISTINCT FROM $1::bytea AND j.id = $2 AND ((j.state = 'QUEUED' AND j.started_at IS NULL) OR j.state = 'FAILED') FOR UPDATE)
RETURNING step, encode(subject, 'hex')
