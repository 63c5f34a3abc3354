-- Every custom role of a project with what it inherits, as one object.
-- scope: project $1
SELECT coalesce(jsonb_object_agg(name, document -> 'inheritedRoles'), '{}')::text FROM resource WHERE scope = $1 AND kind = 'customRole'
