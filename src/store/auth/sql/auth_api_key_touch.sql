-- Notes that an API key was used, at most once a minute.
-- scope: organization :organization
UPDATE api_key
   SET last_used_at = now()
 WHERE org_id = :organization AND id = :principal AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute');
