-- How many role mappings an organization has.
-- scope: organization $1
SELECT count(*) FROM role_mapping WHERE org_id = $1
