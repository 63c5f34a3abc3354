-- One role of a project, with what uses it.
-- scope: project :project
SELECT ((r.document - 'internal') || jsonb_build_object('featureUsages', provider_role_usages(r.scope, r.name)))::text AS document, r.revision
FROM resource r WHERE r.scope = :project AND r.kind = 'providerRole' AND r.name = :role
