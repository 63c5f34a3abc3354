-- The operator of a session proved once more who they are.
-- scope: none, because operators belong to no organization
UPDATE operator_session SET verified_at = now(), used_at = now()
 WHERE id = :session AND operator_id = :operator_id AND expires_at > now() AND used_at > now() - interval '30 minutes'
