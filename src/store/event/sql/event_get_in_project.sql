-- One event of a project.
-- scope: project $1
SELECT project_seq, document FROM event WHERE project_id = $1 AND id = $2
