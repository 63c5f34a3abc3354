-- Deletes some used challenges that would be refused by themselves, oldest first.
-- scope: none, because the service sweeps by age
DELETE FROM used_challenge WHERE challenge IN (
    SELECT challenge FROM used_challenge WHERE expires_at < now() - interval '1 hour' ORDER BY expires_at LIMIT :limit::bigint)
