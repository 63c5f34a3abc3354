-- What a member should be.
-- scope: organization :organization
UPDATE cluster_member SET desired = :desired, electable = :electable::boolean, priority = :priority::int WHERE org_id = :organization AND id = :member
