-- Records a failure and gives the webhook back; after $7 seconds of failures it is paused. Nobody who lost it can.
-- scope: organization $1
UPDATE webhook SET failures = failures + 1, failing_since = coalesce(failing_since, now()), last_status = $4::int, last_error = $5,
    next_try_at = now() + $6::bigint * interval '1 millisecond', lease_until = NULL,
    paused_at = CASE WHEN failing_since < now() - $7::bigint * interval '1 second' THEN now() END
WHERE org_id = $1 AND id = $2 AND lease_epoch = $3::bigint
RETURNING paused_at IS NOT NULL, webhook_json(webhook)
