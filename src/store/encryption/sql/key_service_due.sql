-- Projects whose key service may be asked now, those that wait longest first: of those that answered quickly the last time, or of the others. An organization has one at a
-- time, so that it does not keep the others waiting. When it was asked is not part of its settings: who changes them is asked again soon, and not before others.
-- scope: none, because the worker serves all organizations
SELECT encode(d.scope, 'hex') AS project
FROM (SELECT DISTINCT ON (r.org_id) r.scope, a.asked_at
      FROM resource r LEFT JOIN key_service_ask a ON a.project_id = r.scope
      WHERE r.kind = 'encryptionAtRest' AND (r.document -> 'kmip' ->> 'enabled')::boolean
        AND coalesce(a.is_proven, false) = :proven::boolean
        AND (a.project_id IS NULL OR a.asked_at <= now() - CASE WHEN r.document -> 'kmip' ? 'checkedAt' THEN interval '30 seconds' ELSE interval '5 seconds' END)
        AND NOT EXISTS (SELECT FROM key_service_ask b JOIN project o ON o.id = b.project_id
                        WHERE o.org_id = r.org_id AND b.is_proven = :proven::boolean AND b.lease_until >= now())
      ORDER BY r.org_id, a.asked_at NULLS FIRST, r.scope) d
ORDER BY d.asked_at NULLS FIRST, d.scope LIMIT 16
