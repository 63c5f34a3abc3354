-- How many jobs of a project wait for its maintenance window.
-- scope: project :project
SELECT count(*) AS count FROM job WHERE project_id = :project AND step = 'wait-window' AND state IN ('QUEUED', 'RUNNING')
