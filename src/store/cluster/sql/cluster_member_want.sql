-- What a member should be.
-- scope: organization $1
UPDATE cluster_member SET desired = $3, electable = $4::boolean, priority = $5::int WHERE org_id = $1 AND id = $2
