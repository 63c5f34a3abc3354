-- A page of the open invitations of an organization; with $4 of those that grant a role in that project. $5 is a user name or empty.
-- scope: organization $1
WITH listed AS (
    SELECT i.id FROM invitation i
    WHERE i.org_id = $1 AND i.accepted_at IS NULL AND ($5::text = '' OR lower(i.username) = lower($5::text))
      AND ($4::bytea IS NULL OR EXISTS (SELECT 1 FROM invitation_role r
                                        WHERE r.org_id = $1 AND r.invitation_id = i.id AND r.project_id = $4::bytea))
)
SELECT c.total, p.document, encode(p.id, 'hex')
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, invitation_json($1, page.id, $4::bytea) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET $2::bigint LIMIT $3::bigint) page
) p ON true
ORDER BY p.id
