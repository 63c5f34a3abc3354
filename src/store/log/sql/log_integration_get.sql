-- One log integration, with how sending goes on the hosts that have members of the project.
-- scope: project :project
SELECT ((r.document - 'internal') || log_integration_state(r.scope, r.id))::text AS document, r.revision
FROM resource r WHERE r.scope = :project AND r.kind = 'logIntegration' AND r.name = :id
