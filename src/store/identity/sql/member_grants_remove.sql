-- Takes every role of a person in an organization away, those in its projects included, and forgets what they are called there.
-- scope: organization :organization
WITH forgotten AS (DELETE FROM member_name WHERE org_id = :organization AND person_id = :member)
DELETE FROM role_grant WHERE org_id = :organization AND principal_id = :member
