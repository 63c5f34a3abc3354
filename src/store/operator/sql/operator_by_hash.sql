-- Whose token it is, as long as it is good. The hash once more, so that it can be compared in constant time.
-- scope: none, because operators belong to no organization
SELECT encode(id, 'hex'), name, encode(token_hash, 'hex') FROM operator WHERE token_hash = $1 AND expires_at > now()
