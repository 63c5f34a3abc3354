-- Projects whose directory may be asked for groups now, those that wait longest first: of those that answered quickly the last time, or of the others. An organization
-- has one at a time, whatever is known of them.
-- scope: none, because the worker serves all organizations
SELECT encode(f.project_id, 'hex') AS project
FROM (SELECT DISTINCT ON (s.org_id) s.project_id, s.next_try_at
      FROM directory_sync s
      WHERE s.is_proven = :proven::boolean AND s.next_try_at <= now() AND s.rest_until <= now()
        AND NOT EXISTS (SELECT FROM directory_sync b WHERE b.org_id = s.org_id AND b.lease_until >= now())
      ORDER BY s.org_id, s.next_try_at, s.project_id) f
ORDER BY f.next_try_at, f.project_id
LIMIT 16
