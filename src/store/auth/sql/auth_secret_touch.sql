-- Notes that a secret was used, at most once a minute.
-- scope: organization :organization
UPDATE service_account_secret
   SET last_used_at = now()
 WHERE org_id = :organization AND id = :secret AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute');
