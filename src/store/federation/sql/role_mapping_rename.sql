-- Another group for a role mapping.
-- scope: organization $1
UPDATE role_mapping SET external_group = $3, revision = nextval('revision') WHERE org_id = $1 AND id = $2
