-- Another group for a role mapping.
-- scope: organization :organization
UPDATE role_mapping SET external_group = :group, revision = nextval('revision') WHERE org_id = :organization AND id = :mapping
