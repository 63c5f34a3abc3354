-- Marks an invitation as used, once. Nobody needs its token any more.
-- scope: organization $1
UPDATE invitation SET accepted_at = now(), sealed_token = NULL, mail_due_at = NULL
WHERE org_id = $1 AND id = $2 AND accepted_at IS NULL AND expires_at > now()
