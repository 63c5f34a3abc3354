-- The answer that was given to a principal's key in the last 24 hours.
-- scope: principal :principal
SELECT encode(request_hash, 'hex') AS request_hash, status, encode(answer, 'hex') AS answer
FROM idempotency
WHERE principal_id = :principal AND key = :key AND created_at > now() - interval '24 hours'
