-- The token of an open invitation, sealed.
-- scope: none, because the operator hands over what the mail server could not
SELECT encode(i.sealed_token, 'hex'), i.username FROM invitation i
WHERE i.id = $1 AND i.sealed_token IS NOT NULL AND i.accepted_at IS NULL AND i.expires_at > now()
