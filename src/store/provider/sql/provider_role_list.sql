-- All roles of a project, oldest first, with what uses them. A project has few of them.
-- scope: project :project
SELECT jsonb_build_object('awsIamRoles', coalesce(jsonb_agg((r.document - 'internal') || jsonb_build_object('featureUsages', provider_role_usages(r.scope, r.name)) ORDER BY r.created_at, r.id), '[]'),
                          'azureServicePrincipals', '[]'::jsonb, 'gcpServiceAccounts', '[]'::jsonb)::text AS document
FROM resource r WHERE r.scope = :project AND r.kind = 'providerRole'
