-- A page of the open invitations of an organization; with :project of those that grant a role in that project. :username is a user name or empty.
-- scope: organization :organization
WITH listed AS (
    SELECT i.id FROM invitation i
    WHERE i.org_id = :organization AND i.accepted_at IS NULL AND (:username::text = '' OR lower(i.username) = lower(:username::text))
      AND (:project::bytea IS NULL OR EXISTS (SELECT 1 FROM invitation_role r
                                        WHERE r.org_id = :organization AND r.invitation_id = i.id AND r.project_id = :project::bytea))
)
SELECT c.total, p.document, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT page.id, invitation_json(:organization, page.id, :project::bytea) AS document
    FROM (SELECT id FROM listed ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) page
) p ON true
ORDER BY p.id
