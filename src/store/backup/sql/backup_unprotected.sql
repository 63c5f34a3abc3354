-- Projects with a compliance policy and snapshots that it does not protect yet: those that came in the moment in which it was set.
-- scope: none, because the worker looks for those of all organizations and protects each in a transaction of its own
SELECT DISTINCT encode(r.org_id, 'hex') AS organization, encode(r.scope, 'hex') AS project
FROM resource r JOIN snapshot s ON s.project_id = r.scope
WHERE r.kind = 'backupCompliancePolicy' AND r.name = '' AND s.hidden_at IS NULL AND (s.protected_until IS NULL OR s.protected_until < s.expires_at)
ORDER BY 1, 2 LIMIT 100
