-- Gives an expired invitation another token and another $6 days; what it granted before is forgotten.
-- scope: organization $1
WITH forgotten AS (DELETE FROM invitation_role WHERE org_id = $1 AND invitation_id = $2)
UPDATE invitation SET mac = $3, pepper_version = $4::int, inviter_name = $5, created_at = now(),
       expires_at = now() + make_interval(days => $6::int)
WHERE org_id = $1 AND id = $2 AND accepted_at IS NULL
