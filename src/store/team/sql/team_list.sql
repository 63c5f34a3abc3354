-- A page of the teams of an organization, oldest first; an organization has at most 250.
-- scope: organization :organization
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM team WHERE org_id = :organization) c
LEFT JOIN LATERAL (
    SELECT t.id, team_json(t) AS document FROM team t WHERE t.org_id = :organization ORDER BY t.id OFFSET :offset::bigint LIMIT :limit::bigint
) p ON true
ORDER BY p.id
