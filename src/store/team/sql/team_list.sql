-- A page of the teams of an organization, oldest first; an organization has at most 250.
-- scope: organization $1
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM team WHERE org_id = $1) c
LEFT JOIN LATERAL (
    SELECT t.id, team_json(t) AS document FROM team t WHERE t.org_id = $1 ORDER BY t.id OFFSET $2::bigint LIMIT $3::bigint
) p ON true
ORDER BY p.id
