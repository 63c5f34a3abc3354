-- One log integration, with how sending goes on the hosts that have members of the project.
-- scope: project $1
SELECT ((r.document - 'internal') || log_integration_state(r.scope, r.id))::text, r.revision
FROM resource r WHERE r.scope = $1 AND r.kind = 'logIntegration' AND r.name = $2
