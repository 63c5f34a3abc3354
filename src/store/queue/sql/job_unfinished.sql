-- How many jobs of a subject are not finished, besides one. Those that wait for a maintenance window do not count: they have not begun.
-- scope: organization $1
SELECT count(*) FROM job WHERE org_id IS NOT DISTINCT FROM $1::bytea AND subject = $2 AND id <> $3 AND state IN ('QUEUED', 'RUNNING') AND step <> 'wait-window'
