-- The id of a project's cluster.
-- scope: project $1
SELECT encode(id, 'hex') FROM cluster WHERE project_id = $1 AND name = $2
