-- Takes every role of a person in an organization away, those in its projects included.
-- scope: organization $1
DELETE FROM role_grant WHERE org_id = $1 AND principal_id = $2
