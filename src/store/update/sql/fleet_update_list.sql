-- A page of the rollouts, newest first.
-- scope: none, because rollouts belong to the operator
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM fleet_update) c
LEFT JOIN LATERAL (
    SELECT f.created_at, f.id, encode(f.id, 'hex') AS key, fleet_update_document(f)::text AS document
    FROM fleet_update f ORDER BY f.created_at DESC, f.id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.created_at DESC, p.id
