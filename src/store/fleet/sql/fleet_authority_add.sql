-- Makes the fleet's authority, unless another command was faster.
-- scope: none, because the fleet belongs to the operator
INSERT INTO authority (id, purpose, certificate, key, not_after)
VALUES ($1, 'FLEET', $2, $3, to_timestamp($4::bigint / 1000.0))
ON CONFLICT DO NOTHING
