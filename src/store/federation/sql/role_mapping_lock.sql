-- One role mapping of an organization, locked for a change.
-- scope: organization $1
SELECT 1 FROM role_mapping m WHERE m.org_id = $1 AND m.id = $2 FOR NO KEY UPDATE
