-- How many jobs of a project wait for its maintenance window.
-- scope: project $1
SELECT count(*) FROM job WHERE project_id = $1 AND step = 'wait-window' AND state IN ('QUEUED', 'RUNNING')
