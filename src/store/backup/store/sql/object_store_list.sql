-- Object stores, with what is kept in them; one when :name is not empty.
-- scope: none, because object stores are the operator's
SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
           'name', o.name, 'endpoint', o.endpoint, 'bucket', o.bucket, 'region', o.region, 'path', o.path, 'uriStyle', o.uri_style,
           'authority', o.authority, 'objectLock', o.object_lock, 'lockDays', o.lock_days, 'createdAt', api_date(o.created_at),
           'hosts', (SELECT coalesce(json_agg(h.name ORDER BY h.name), '[]') FROM host h WHERE h.object_store = o.name AND h.state <> 'REMOVED'),
           'seats', (SELECT count(*) FROM stanza_seat t WHERE t.object_store = o.name),
           'usedBytes', (SELECT coalesce(sum(t.used_bytes), 0) FROM stanza_seat t WHERE t.object_store = o.name))) ORDER BY o.name), '[]')::text AS json
FROM object_store o
WHERE :name = '' OR o.name = :name
