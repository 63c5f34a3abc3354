-- Makes an invitation that is good for :days days. Its token is mailed.
-- scope: organization :organization
INSERT INTO invitation (org_id, id, username, mac, pepper_version, inviter_name, expires_at, sealed_token, mail_due_at)
VALUES (:organization, :invitation, :username, :mac, :pepper_version::int, :inviter_name, now() + make_interval(days => :days::int), :sealed_token, now())
