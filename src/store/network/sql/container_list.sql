-- A page of a project's network containers, oldest first, of one provider when :provider_name is one; there is one in a region at most.
-- scope: project :project
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM network_container n WHERE n.project_id = :project AND (:provider_name::text = '' OR n.provider = :provider_name)) c
LEFT JOIN LATERAL (
    SELECT container_json(n, container_is_used(n)) AS document, n.id, n.created_at FROM network_container n
    WHERE n.project_id = :project AND (:provider_name::text = '' OR n.provider = :provider_name)
    ORDER BY n.created_at, n.id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.created_at, p.id
