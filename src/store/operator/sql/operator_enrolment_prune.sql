-- Deletes some tokens for operators' first passkeys that have expired, oldest first.
-- scope: none, because the service sweeps by age
DELETE FROM operator_enrolment WHERE operator_id IN (
    SELECT operator_id FROM operator_enrolment WHERE expires_at < now() ORDER BY expires_at LIMIT :limit::bigint)
