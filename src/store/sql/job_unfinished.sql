-- How many jobs of a subject are not finished, besides one.
-- scope: organization $1
SELECT count(*) FROM job WHERE org_id = $1 AND subject = $2 AND id <> $3 AND state IN ('QUEUED', 'RUNNING')
