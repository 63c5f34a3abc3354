-- Deletes some tokens for first passkeys that have expired, oldest first.
-- scope: none, because the service sweeps by age
DELETE FROM enrolment WHERE person_id IN (
    SELECT person_id FROM enrolment WHERE expires_at < now() ORDER BY expires_at LIMIT :limit::bigint)
