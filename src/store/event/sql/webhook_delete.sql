-- Removes a webhook.
-- scope: organization $1
DELETE FROM webhook WHERE org_id = $1 AND id = $2
