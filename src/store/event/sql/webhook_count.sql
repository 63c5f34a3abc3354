-- How many webhooks an organization has. Holds its row, so that two that are added at once are counted one after the other.
-- scope: organization $1
SELECT (SELECT count(*) FROM webhook w WHERE w.org_id = $1) FROM organization o WHERE o.id = $1 FOR NO KEY UPDATE
