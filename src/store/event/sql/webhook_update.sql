-- Changes what a person decides about a webhook. It is tried again at once, and who works on it now loses it.
-- scope: organization $1
UPDATE webhook SET url = $3, description = $4, event_types = $5::text[], enabled = $6::boolean, revision = nextval('revision'),
    paused_at = NULL, failures = 0, failing_since = NULL, next_try_at = now(), lease_epoch = lease_epoch + 1, lease_until = NULL
WHERE org_id = $1 AND id = $2
