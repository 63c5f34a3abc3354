-- Which organization an open invitation belongs to, for somebody who has shown that the address is theirs.
-- scope: none, because whoever accepts does not belong to the organization yet; the address that signed in must be the invitation's
SELECT encode(i.org_id, 'hex') AS organization FROM invitation i
WHERE i.id = :invitation AND lower(i.username) = lower(:username::text) AND i.accepted_at IS NULL AND i.expires_at > now()
