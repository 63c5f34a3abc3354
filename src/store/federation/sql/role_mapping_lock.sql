-- One role mapping of an organization, locked for a change.
-- scope: organization :organization
SELECT 1 FROM role_mapping m WHERE m.org_id = :organization AND m.id = :mapping FOR NO KEY UPDATE
