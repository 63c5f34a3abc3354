-- A page of the limits that are not the default ones: of one owner (:owner) or of all.
-- scope: none, because limits are the operator's to give
WITH wanted AS (
    SELECT l.*, CASE WHEN o.id IS NOT NULL THEN 'org' WHEN p.id IS NOT NULL THEN 'project' ELSE 'user' END AS kind, coalesce(o.name, p.name) AS name
    FROM limit_override l LEFT JOIN organization o ON o.id = l.owner LEFT JOIN project p ON p.id = l.owner
    WHERE :owner::bytea IS NULL OR l.owner = :owner)
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM wanted) c
LEFT JOIN LATERAL (
    SELECT owner, set_name, set_name AS key, json_strip_nulls(json_build_object(
        'ownerKind', kind, 'owner', encode(owner, 'hex'), 'name', name, 'endpointSetId', set_name, 'capacity', capacity,
        'refillRate', refill))::text AS document
    FROM wanted ORDER BY owner, set_name OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.owner, p.set_name
