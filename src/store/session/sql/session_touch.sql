-- Notes that a session is in use, at most twice a minute; one that has ended stays ended.
-- scope: none, because the cookie was checked, and a session belongs to no organization
UPDATE console_session SET used_at = now()
 WHERE id = :session AND used_at < now() - interval '30 seconds' AND used_at > now() - idle AND expires_at > now()
