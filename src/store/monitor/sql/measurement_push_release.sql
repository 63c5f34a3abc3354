-- Gives an integration back until its next turn.
-- scope: none, because the worker serves all organizations
UPDATE measurement_push SET lease_until = NULL, next_try_at = now() + :retry_ms::bigint * interval '1 millisecond'
WHERE integration_id = :integration AND lease_epoch = :epoch::bigint
