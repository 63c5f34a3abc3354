-- How many webhooks an organization has. Holds its row, so that two that are added at once are counted one after the other.
-- scope: organization :organization
SELECT (SELECT count(*) FROM webhook w WHERE w.org_id = :organization) AS count FROM organization o WHERE o.id = :organization FOR NO KEY UPDATE
