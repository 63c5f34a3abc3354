-- Records why the mail of an invitation was not sent, and tries again after $5 milliseconds; never when that is null. Nobody who lost it can.
-- scope: organization $1
UPDATE invitation SET mail_due_at = now() + $5::bigint * interval '1 millisecond', mail_error = $4
WHERE org_id = $1 AND id = $2 AND mail_tries = $3::int AND accepted_at IS NULL
