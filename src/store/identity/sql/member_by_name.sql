-- Who has a user name in an organization: somebody who belongs to it comes before an invitation.
-- scope: organization $1
SELECT encode(m.id, 'hex'), m.status FROM member m
WHERE m.org_id = $1 AND lower(m.username) = lower($2::text)
ORDER BY m.status <> 'ACTIVE' LIMIT 1
