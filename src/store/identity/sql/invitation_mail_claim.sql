-- Takes the mail of an invitation for $3 milliseconds, when it is still due: the next try is written before this one, so that a worker that dies pays for it.
-- scope: organization $1
UPDATE invitation i SET mail_tries = mail_tries + 1, mail_due_at = now() + $3::bigint * interval '1 millisecond'
FROM organization o
WHERE o.id = $1 AND i.org_id = $1 AND i.id = (
    SELECT d.id FROM invitation d
    WHERE d.org_id = $1 AND d.id = $2 AND d.mail_due_at <= now() AND d.accepted_at IS NULL AND d.expires_at > now()
    FOR UPDATE SKIP LOCKED)
RETURNING i.mail_tries, i.username, i.inviter_name, o.name, api_date(i.expires_at), encode(i.sealed_token, 'hex')
