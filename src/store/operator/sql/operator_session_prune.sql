-- Deletes some sessions of operators that have ended by themselves, oldest first.
-- scope: none, because the service sweeps by age
DELETE FROM operator_session WHERE id IN (
    SELECT id FROM operator_session WHERE expires_at < now() ORDER BY expires_at LIMIT :limit::bigint)
