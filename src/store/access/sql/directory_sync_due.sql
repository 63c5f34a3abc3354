-- Projects whose directory may be asked for groups now, those that wait longest first: of those that answered quickly the last time, or of the others.
-- scope: none, because the worker serves all organizations
SELECT encode(s.project_id, 'hex') AS project
FROM directory_sync s
WHERE s.is_proven = :proven::boolean AND s.next_try_at <= now() AND (s.lease_until IS NULL OR s.lease_until < now())
ORDER BY s.next_try_at, s.project_id
LIMIT 16
