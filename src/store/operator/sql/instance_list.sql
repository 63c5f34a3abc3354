-- The processes of the control plane, as far as they were there within the last day.
-- scope: none, because processes of the control plane belong to nobody
SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
    'name', i.name, 'kind', i.kind, 'address', i.address, 'isEncrypted', i.is_encrypted, 'version', i.version,
    'startedAt', api_date(i.started_at), 'seenAt', api_date(i.seen_at), 'isThere', i.seen_at >= now() - interval '2 minutes')) ORDER BY i.kind, i.name), '[]')::text AS list
FROM instance i
