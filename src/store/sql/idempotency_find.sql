-- The answer that was given to a principal's key in the last 24 hours.
-- scope: principal $1
SELECT encode(request_hash, 'hex'), status, encode(answer, 'hex')
FROM idempotency
WHERE principal_id = $1 AND key = $2 AND created_at > now() - interval '24 hours'
