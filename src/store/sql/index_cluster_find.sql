-- The cluster of a project that an index is for.
-- scope: project $1
SELECT encode(id, 'hex') FROM cluster WHERE project_id = $1 AND name = $2
