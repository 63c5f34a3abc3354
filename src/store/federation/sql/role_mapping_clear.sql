-- Takes all roles from a role mapping.
-- scope: organization $1
DELETE FROM role_mapping_role WHERE org_id = $1 AND mapping_id = $2
