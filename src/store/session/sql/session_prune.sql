-- Deletes some sessions that have ended by themselves, oldest first.
-- scope: none, because the service sweeps by age
DELETE FROM console_session WHERE id IN (
    SELECT id FROM console_session WHERE expires_at < now() ORDER BY expires_at LIMIT :limit::bigint)
