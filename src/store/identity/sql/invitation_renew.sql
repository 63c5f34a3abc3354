-- Gives an expired invitation another token, which is mailed, and another :days days; what it granted before is forgotten. Nothing happens to one that was
-- accepted, or that somebody else has renewed a moment before: their token is on its way.
-- scope: organization :organization
WITH renewed AS (
    UPDATE invitation SET mac = :mac, pepper_version = :pepper_version::int, inviter_name = :inviter_name, created_at = now(),
           expires_at = now() + make_interval(days => :days::int), sealed_token = :sealed_token, mail_due_at = now(), mailed_at = NULL, mail_error = NULL
    WHERE org_id = :organization AND id = :invitation AND accepted_at IS NULL AND expires_at <= now()
    RETURNING org_id, id),
forgotten AS (DELETE FROM invitation_role r USING renewed n WHERE r.org_id = n.org_id AND r.invitation_id = n.id)
SELECT encode(n.id, 'hex') AS invitation FROM renewed n
