-- Marks an invitation as used, once. Nobody needs its token any more.
-- scope: organization :organization
UPDATE invitation SET accepted_at = now(), sealed_token = NULL, mail_due_at = NULL
WHERE org_id = :organization AND id = :invitation AND accepted_at IS NULL AND expires_at > now()
