-- A page of jobs as operators see them, newest first: of a project or of all, in the state :state (OPEN: not finished, or failed) or in any.
-- scope: none, because operators look after all organizations
WITH wanted AS (
    SELECT j AS job, j.id, j.seq FROM job j
    WHERE (:project::bytea IS NULL OR j.project_id = :project)
      AND (:state = '' OR j.state = :state OR (:state = 'OPEN' AND j.state IN ('QUEUED', 'RUNNING', 'FAILED'))))
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM wanted) c
LEFT JOIN LATERAL (
    SELECT seq, encode(id, 'hex') AS key, job_json(job)::text AS document
    FROM wanted ORDER BY seq DESC OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.seq DESC
