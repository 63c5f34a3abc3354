-- Gives an expired invitation another token, which is mailed, and another :days days; what it granted before is forgotten.
-- scope: organization :organization
WITH forgotten AS (DELETE FROM invitation_role WHERE org_id = :organization AND invitation_id = :invitation)
UPDATE invitation SET mac = :mac, pepper_version = :pepper_version::int, inviter_name = :inviter_name, created_at = now(),
       expires_at = now() + make_interval(days => :days::int), sealed_token = :sealed_token, mail_due_at = now(), mailed_at = NULL, mail_error = NULL
WHERE org_id = :organization AND id = :invitation AND accepted_at IS NULL
