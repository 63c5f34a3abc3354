-- Lets one machine join as the named host, once.
-- scope: none, because hosts are the operator's
WITH expired AS (DELETE FROM join_token WHERE expires_at < now() - interval '7 days')
INSERT INTO join_token (hash, host_name, provider, region, zone, expires_at)
VALUES ($1, $2, $3, $4, $5, now() + $6::bigint * interval '1 second')
