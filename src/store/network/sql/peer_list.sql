-- A page of a project's peerings, oldest first, of one provider when :provider_name is one.
-- scope: project :project
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM network_peer n WHERE n.project_id = :project AND (:provider_name::text = '' OR n.provider = :provider_name)) c
LEFT JOIN LATERAL (
    SELECT peer_json(n) AS document, n.id, n.created_at FROM network_peer n
    WHERE n.project_id = :project AND (:provider_name::text = '' OR n.provider = :provider_name)
    ORDER BY n.created_at, n.id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.created_at, p.id
