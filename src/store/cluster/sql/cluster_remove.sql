-- Removes the machinery's row of a cluster that has no members any more.
-- scope: organization :organization
DELETE FROM cluster WHERE org_id = :organization AND id = :cluster
