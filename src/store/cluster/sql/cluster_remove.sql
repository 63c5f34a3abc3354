-- Removes the machinery's row of a cluster that has no members any more.
-- scope: organization $1
DELETE FROM cluster WHERE org_id = $1 AND id = $2
