-- Takes all roles from a role mapping.
-- scope: organization :organization
DELETE FROM role_mapping_role WHERE org_id = :organization AND mapping_id = :mapping
