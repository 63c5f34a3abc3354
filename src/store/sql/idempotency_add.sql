-- Keeps the answer to a principal's key, in place of an expired one.
-- scope: principal :principal
INSERT INTO idempotency (principal_id, key, request_hash, status, answer)
VALUES (:principal, :key, :request_hash, :status, :answer)
ON CONFLICT (principal_id, key) DO UPDATE
SET request_hash = excluded.request_hash, status = excluded.status, answer = excluded.answer, created_at = now()
