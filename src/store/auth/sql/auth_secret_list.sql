-- The secrets of a service account that are still good, with whether their last use should be noted again.
-- scope: principal :account
SELECT encode(s.id, 'hex') AS id,
       encode(s.org_id, 'hex') AS organization,
       encode(s.mac, 'hex') AS mac,
       s.pepper_version,
       s.last_used_at IS NULL OR s.last_used_at < now() - interval '1 minute' AS should_note
  FROM service_account_secret s
 WHERE s.account_id = :account AND s.expires_at > now()
 ORDER BY s.created_at DESC
 LIMIT 100;
