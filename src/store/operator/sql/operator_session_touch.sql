-- Notes that a session is in use. Nothing when it ended meanwhile: a late note does not wake it.
-- scope: none, because operators belong to no organization
UPDATE operator_session SET used_at = now() WHERE id = :session AND expires_at > now() AND used_at > now() - interval '30 minutes'
