-- Moves a project from one organization to another; false when the first has no such project.
-- scope: organization :from
SELECT project_move(:project, :from, :to) AS moved
