-- How many role mappings an organization has.
-- scope: organization :organization
SELECT count(*) AS count FROM role_mapping WHERE org_id = :organization
