-- Adds a signing key unless another node was faster.
-- scope: none, because all nodes and organizations share them
INSERT INTO signing_key (id, sealed)
VALUES (:key_id::int, :sealed)
ON CONFLICT (id) DO NOTHING;
