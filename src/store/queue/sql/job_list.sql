-- Jobs as operators see them, newest first: of a project or of all, in the state :state (OPEN: not finished, or failed) or in any.
-- scope: none, because operators look after all organizations
SELECT job_json(j)::text AS document FROM job j
WHERE (:project::bytea IS NULL OR j.project_id = :project)
  AND (:state::text IS NULL OR j.state = :state OR (:state = 'OPEN' AND j.state IN ('QUEUED', 'RUNNING', 'FAILED')))
ORDER BY j.seq DESC LIMIT :limit::bigint
