-- Removes a webhook.
-- scope: organization :organization
DELETE FROM webhook WHERE org_id = :organization AND id = :webhook
