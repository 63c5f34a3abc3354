-- Records why the mail of an invitation was not sent, and tries again after :retry_ms milliseconds; never when that is null. Nobody who lost it can.
-- scope: organization :organization
UPDATE invitation SET mail_due_at = now() + :retry_ms::bigint * interval '1 millisecond', mail_error = :why
WHERE org_id = :organization AND id = :invitation AND mail_tries = :tries::int AND accepted_at IS NULL
