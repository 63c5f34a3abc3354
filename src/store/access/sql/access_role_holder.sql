-- A database user or custom role that has the custom role $2, or none.
-- scope: project $1
SELECT name FROM resource
WHERE scope = $1
  AND ((kind = 'databaseUser' AND document -> 'roles' @> jsonb_build_array(jsonb_build_object('roleName', $2::text)))
       OR (kind = 'customRole' AND document -> 'inheritedRoles' @> jsonb_build_array(jsonb_build_object('role', $2::text))))
ORDER BY kind DESC, name LIMIT 1
