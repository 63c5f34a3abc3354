-- Records that the mail of an invitation was taken by the server. Nobody who lost it can.
-- scope: organization :organization
UPDATE invitation SET mail_due_at = NULL, mailed_at = now(), mail_error = NULL WHERE org_id = :organization AND id = :invitation AND mail_tries = :tries::int
