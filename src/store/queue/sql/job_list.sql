-- Jobs as operators see them, newest first: of a project or of all, in the state $2 (OPEN: not finished, or failed) or in any.
-- scope: none, because operators look after all organizations
SELECT job_json(j)::text FROM job j
WHERE ($1::bytea IS NULL OR j.project_id = $1)
  AND ($2::text IS NULL OR j.state = $2 OR ($2 = 'OPEN' AND j.state IN ('QUEUED', 'RUNNING', 'FAILED')))
ORDER BY j.seq DESC LIMIT $3::bigint
