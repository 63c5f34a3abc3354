-- Gives an expired invitation another token, which is mailed, and another $6 days; what it granted before is forgotten.
-- scope: organization $1
WITH forgotten AS (DELETE FROM invitation_role WHERE org_id = $1 AND invitation_id = $2)
UPDATE invitation SET mac = $3, pepper_version = $4::int, inviter_name = $5, created_at = now(),
       expires_at = now() + make_interval(days => $6::int), sealed_token = $7, mail_due_at = now(), mailed_at = NULL, mail_error = NULL
WHERE org_id = $1 AND id = $2 AND accepted_at IS NULL
