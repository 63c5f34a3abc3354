-- The secrets of a service account that are still good, with whether their last use should be noted again.
-- scope: principal $1
SELECT encode(s.id, 'hex'),
       encode(s.org_id, 'hex'),
       encode(s.mac, 'hex'),
       s.pepper_version,
       s.last_used_at IS NULL OR s.last_used_at < now() - interval '1 minute'
  FROM service_account_secret s
 WHERE s.account_id = $1 AND s.expires_at > now()
 ORDER BY s.created_at DESC
 LIMIT 100;
