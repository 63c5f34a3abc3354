-- Lets one machine join as the named host, once.
-- scope: none, because hosts are the operator's
WITH expired AS (DELETE FROM join_token WHERE expires_at < now() - interval '7 days')
INSERT INTO join_token (hash, host_name, provider, region, zone, purpose, object_store, expires_at)
VALUES (:hash, :host_name, :provider, :region, :zone, :purpose, nullif(:object_store, ''), now() + :lifetime_s::bigint * interval '1 second')
