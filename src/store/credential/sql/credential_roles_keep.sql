-- Takes away the roles of one context that are not in a JSON list.
-- scope: organization :organization
DELETE FROM role_grant
WHERE org_id = :organization AND principal_id = :credential AND project_id IS NOT DISTINCT FROM :project::bytea
  AND NOT (:roles::jsonb ? role)
