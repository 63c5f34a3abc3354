-- Makes an invitation that is good for $7 days. Its token is mailed.
-- scope: organization $1
INSERT INTO invitation (org_id, id, username, mac, pepper_version, inviter_name, expires_at, sealed_token, mail_due_at)
VALUES ($1, $2, $3, $4, $5::int, $6, now() + make_interval(days => $7::int), $8, now())
