-- The configurations of a project that are switched on.
-- scope: project :project
SELECT encode(id, 'hex') AS config, document::text FROM resource
WHERE scope = :project AND kind = 'alertConfig' AND (document ->> 'enabled')::boolean ORDER BY id
