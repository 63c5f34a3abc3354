-- The next members whose hours are made, in the order of their ids.
-- scope: none, because hours are made for everybody
SELECT encode(m.id, 'hex') AS member, encode(c.project_id, 'hex') AS project
FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id
WHERE m.id > :after AND m.desired <> 'PLANNED'
ORDER BY m.id LIMIT :limit::bigint
