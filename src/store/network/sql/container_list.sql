-- A page of a project's network containers, oldest first, of one provider when $4 is one; there is one in a region at most.
-- scope: project $1
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM network_container n WHERE n.project_id = $1 AND ($4::text = '' OR n.provider = $4)) c
LEFT JOIN LATERAL (
    SELECT container_json(n, container_is_used(n)) AS document, n.id, n.created_at FROM network_container n
    WHERE n.project_id = $1 AND ($4::text = '' OR n.provider = $4)
    ORDER BY n.created_at, n.id OFFSET $2::bigint LIMIT $3::bigint) p ON true
ORDER BY p.created_at, p.id
