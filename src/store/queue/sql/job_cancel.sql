-- Gives a job up: one that no worker has begun, or one that failed.
-- scope: organization :organization
UPDATE job SET state = 'CANCELLED', finished_at = now(), lease_until = NULL
WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = (
    SELECT j.id FROM job j WHERE j.org_id IS NOT DISTINCT FROM :organization::bytea AND j.id = :job AND ((j.state = 'QUEUED' AND j.started_at IS NULL) OR j.state = 'FAILED') FOR UPDATE)
RETURNING step, encode(subject, 'hex') AS subject
