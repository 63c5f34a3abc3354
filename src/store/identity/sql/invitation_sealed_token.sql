-- The token of an open invitation, sealed.
-- scope: none, because the operator hands over what the mail server could not
SELECT encode(i.sealed_token, 'hex') AS sealed_token, i.username FROM invitation i
WHERE i.id = :invitation AND i.sealed_token IS NOT NULL AND i.accepted_at IS NULL AND i.expires_at > now()
