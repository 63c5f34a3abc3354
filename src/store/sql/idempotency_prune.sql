-- Deletes some answers that are too old to be given again, oldest first.
-- scope: none, because what is too old belongs to nobody any more
DELETE FROM idempotency
WHERE (principal_id, key) IN (SELECT principal_id, key FROM idempotency
                              WHERE created_at <= now() - interval '24 hours'
                              ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)
