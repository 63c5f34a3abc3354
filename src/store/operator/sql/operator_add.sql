-- Makes an operator with the hash of its token; no row when there is one of that name.
-- scope: none, because operators belong to no organization
INSERT INTO operator (id, name, token_hash, expires_at)
VALUES (:operator_id, :name, :token_hash, now() + :days::bigint * interval '1 day')
ON CONFLICT (name) DO NOTHING
RETURNING api_date(expires_at) AS expires
