-- Takes away the roles of one context that are not in a JSON list.
-- scope: organization $1
DELETE FROM role_grant
WHERE org_id = $1 AND principal_id = $2 AND project_id IS NOT DISTINCT FROM $3::bytea
  AND NOT ($4::jsonb ? role)
