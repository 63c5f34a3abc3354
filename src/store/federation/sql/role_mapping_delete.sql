-- Removes a role mapping with its roles.
-- scope: organization :organization
DELETE FROM role_mapping WHERE org_id = :organization AND id = :mapping
