-- Takes every role of a person in an organization away, those in its projects included, and forgets what they are called there.
-- scope: organization $1
WITH forgotten AS (DELETE FROM member_name WHERE org_id = $1 AND person_id = $2)
DELETE FROM role_grant WHERE org_id = $1 AND principal_id = $2
