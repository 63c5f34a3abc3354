-- Clusters whose servers do not load a library; in one order, so that two who lock them do not wait in a circle.
-- scope: project $1
SELECT encode(c.id, 'hex') FROM cluster c
WHERE c.project_id = $1 AND NOT $2 = ANY (string_to_array(coalesce(c.parameters ->> 'shared_preload_libraries', ''), ','))
ORDER BY c.id
