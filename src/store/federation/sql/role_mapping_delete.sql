-- Removes a role mapping with its roles.
-- scope: organization $1
DELETE FROM role_mapping WHERE org_id = $1 AND id = $2
