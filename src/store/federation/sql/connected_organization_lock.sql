-- How one organization uses its federation, locked for a change.
-- scope: organization :organization
SELECT 1 FROM connected_organization c WHERE c.org_id = :organization FOR NO KEY UPDATE
