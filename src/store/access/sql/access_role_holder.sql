-- A database user or custom role that has the custom role :role, or none.
-- scope: project :project
SELECT name FROM resource
WHERE scope = :project
  AND ((kind = 'databaseUser' AND document -> 'roles' @> jsonb_build_array(jsonb_build_object('roleName', :role::text)))
       OR (kind = 'customRole' AND document -> 'inheritedRoles' @> jsonb_build_array(jsonb_build_object('role', :role::text))))
ORDER BY kind DESC, name LIMIT 1
