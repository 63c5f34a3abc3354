-- Who has a user name in an organization: somebody who belongs to it comes before an invitation.
-- scope: organization :organization
SELECT encode(m.id, 'hex') AS member, m.status FROM member m
WHERE m.org_id = :organization AND lower(m.username) = lower(:username::text)
ORDER BY m.status <> 'ACTIVE' LIMIT 1
