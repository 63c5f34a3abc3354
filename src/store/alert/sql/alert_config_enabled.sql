-- The configurations of a project that are switched on.
-- scope: project $1
SELECT encode(id, 'hex'), document::text FROM resource
WHERE scope = $1 AND kind = 'alertConfig' AND (document ->> 'enabled')::boolean ORDER BY id
