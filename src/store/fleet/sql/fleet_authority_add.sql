-- Makes the fleet's authority, unless another command was faster.
-- scope: none, because the fleet belongs to the operator
INSERT INTO authority (id, purpose, certificate, key, not_after)
VALUES (:id, 'FLEET', :certificate, :sealed_key, to_timestamp(:not_after_ms::bigint / 1000.0))
ON CONFLICT DO NOTHING
