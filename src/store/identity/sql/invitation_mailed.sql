-- Records that the mail of an invitation was taken by the server. Nobody who lost it can.
-- scope: organization $1
UPDATE invitation SET mail_due_at = NULL, mailed_at = now(), mail_error = NULL WHERE org_id = $1 AND id = $2 AND mail_tries = $3::int
