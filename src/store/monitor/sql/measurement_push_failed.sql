-- Records a failure and gives the integration back. Nobody who lost it can.
-- scope: none, because the worker serves all organizations
UPDATE measurement_push SET failures = failures + 1, last_status = :status::int, last_error = :why,
    next_try_at = now() + :retry_ms::bigint * interval '1 millisecond', lease_until = NULL
WHERE integration_id = :integration AND lease_epoch = :epoch::bigint
