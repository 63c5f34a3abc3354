-- How one organization uses its federation, locked for a change.
-- scope: organization $1
SELECT 1 FROM connected_organization c WHERE c.org_id = $1 FOR NO KEY UPDATE
