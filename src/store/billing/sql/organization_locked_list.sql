-- Organizations that are locked, the longest first.
-- scope: none, because the operator sees them all
SELECT coalesce(json_agg(json_build_object('orgId', encode(id, 'hex'), 'name', name, 'lockedAt', api_date(locked_at), 'reason', lock_reason)
                         ORDER BY locked_at, id), '[]')::text AS list
FROM organization WHERE locked_at IS NOT NULL
