-- Marks an invitation as used, once.
-- scope: organization $1
UPDATE invitation SET accepted_at = now()
WHERE org_id = $1 AND id = $2 AND accepted_at IS NULL AND expires_at > now()
