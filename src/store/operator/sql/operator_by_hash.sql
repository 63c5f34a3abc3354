-- Whose token it is, as long as it is good. The hash once more, so that it can be compared in constant time.
-- scope: none, because operators belong to no organization
SELECT encode(id, 'hex') AS operator, name FROM operator WHERE token_hash = :token_hash AND expires_at > now()
