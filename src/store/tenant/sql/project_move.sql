-- Moves a project from one organization to another; false when the first has no such project.
-- scope: organization $2
SELECT project_move($1, $2, $3)
