-- Adds a signing key unless another node was faster.
-- scope: none, because all nodes and organizations share them
INSERT INTO signing_key (id, sealed)
VALUES ($1::int, $2)
ON CONFLICT (id) DO NOTHING;
