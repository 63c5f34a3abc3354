-- How many jobs of a subject are not finished, besides one. Those that wait for a maintenance window do not count: they have not begun.
-- scope: organization :organization
SELECT count(*) AS count FROM job WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND subject = :cluster AND id <> :besides AND state IN ('QUEUED', 'RUNNING') AND step <> 'wait-window'
