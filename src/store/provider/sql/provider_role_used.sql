-- What uses a role of a project, as a list of JSON.
-- scope: project :project
SELECT coalesce((SELECT provider_role_usages(r.scope, r.name) FROM resource r WHERE r.scope = :project AND r.kind = 'providerRole' AND r.name = :role), '[]')::text AS json
