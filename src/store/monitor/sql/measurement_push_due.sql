-- Integrations that measurements may be sent to now, those that wait longest first.
-- scope: none, because the worker serves all organizations
SELECT encode(p.integration_id, 'hex') AS integration, encode(p.project_id, 'hex') AS project
FROM measurement_push p
WHERE p.next_try_at <= now() AND (p.lease_until IS NULL OR p.lease_until < now())
ORDER BY p.next_try_at, p.integration_id
LIMIT 16
