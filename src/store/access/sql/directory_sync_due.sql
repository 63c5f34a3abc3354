-- Projects whose directory may be asked for groups now, those that wait longest first: of those that answered quickly the last time, or of the others. Of these an
-- organization has one at a time.
-- scope: none, because the worker serves all organizations
SELECT encode(s.project_id, 'hex') AS project
FROM directory_sync s JOIN project p ON p.id = s.project_id
WHERE s.is_proven = :proven::boolean AND s.next_try_at <= now() AND s.rest_until <= now() AND (s.lease_until IS NULL OR s.lease_until < now())
  AND (s.is_proven OR NOT EXISTS (SELECT FROM directory_sync b JOIN project o ON o.id = b.project_id
                                  WHERE o.org_id = p.org_id AND NOT b.is_proven AND b.lease_until >= now()))
ORDER BY s.next_try_at, s.project_id
LIMIT 16
