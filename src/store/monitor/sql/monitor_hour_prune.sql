-- Removes hours that are older than 63 days. What days were made of stays in them.
-- scope: none, because everything that is over is removed
DELETE FROM monitor_hour h USING (
    SELECT o.member_id, o.scope, o.name, o.at FROM monitor_hour o WHERE o.at < now() - interval '63 days' LIMIT :limit::bigint) o
WHERE h.member_id = o.member_id AND h.scope = o.scope AND h.name = o.name AND h.at = o.at
