-- One event of a project.
-- scope: project :scope
SELECT project_seq AS seq, document FROM event WHERE project_id = :scope AND id = :event
