-- Changes what a person decides about a webhook. It is tried again at once, and who works on it now loses it.
-- scope: organization :organization
UPDATE webhook SET url = :url, description = :description, event_types = :event_types::text[], enabled = :enabled::boolean, revision = nextval('revision'),
    paused_at = NULL, failures = 0, failing_since = NULL, next_try_at = now(), lease_epoch = lease_epoch + 1, lease_until = NULL
WHERE org_id = :organization AND id = :webhook
