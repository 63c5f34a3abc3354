-- Clusters whose servers do not load a library; in one order, so that two who lock them do not wait in a circle.
-- scope: project :project
SELECT encode(c.id, 'hex') AS cluster FROM cluster c
WHERE c.project_id = :project AND NOT :library = ANY (string_to_array(coalesce(c.parameters ->> 'shared_preload_libraries', ''), ','))
ORDER BY c.id
