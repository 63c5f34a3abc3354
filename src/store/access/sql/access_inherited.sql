-- Every custom role of a project with what it inherits, as one object.
-- scope: project :project
SELECT coalesce(jsonb_object_agg(name, document -> 'inheritedRoles'), '{}')::text AS inherited FROM resource WHERE scope = :project AND kind = 'customRole'
