-- Uses a token up. What stands against it comes as well, so that the refusal can say it; of two that use it at once one waits for
-- the other and finds it used.
-- scope: none, because hosts are the operator's
WITH found AS (SELECT hash, used_at, expires_at FROM join_token WHERE hash = :hash FOR UPDATE),
     taken AS (UPDATE join_token t SET used_at = now() FROM found f
               WHERE t.hash = f.hash AND f.used_at IS NULL AND f.expires_at > now()
               RETURNING t.host_name, t.provider, t.region, t.zone, t.purpose, t.object_store)
SELECT f.used_at IS NOT NULL AS is_used, f.expires_at <= now(), t.host_name, t.provider, t.region, t.zone, t.purpose,
       coalesce(t.object_store, '') AS object_store
FROM found f LEFT JOIN taken t ON true
