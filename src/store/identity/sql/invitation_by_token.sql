-- Which organization an open invitation belongs to, by its token and the address that it is bound to.
-- scope: none, because whoever holds the token is not known yet; it is 256 bits that cannot be guessed
SELECT encode(i.org_id, 'hex') AS organization, encode(i.id, 'hex') AS invitation FROM invitation i
WHERE i.mac = :mac AND lower(i.username) = lower(:username::text) AND i.accepted_at IS NULL AND i.expires_at > now()
