-- The person of a session has just proved once more who they are.
-- scope: principal :person
UPDATE console_session SET verified_at = now(), used_at = now()
 WHERE id = :session AND person_id = :person AND expires_at > now() AND used_at > now() - idle
