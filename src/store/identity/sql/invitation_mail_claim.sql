-- Takes the mail of an invitation for :lease_ms milliseconds, when it is still due: the next try is written before this one, so that a worker that dies pays for it.
-- scope: organization :organization
UPDATE invitation i SET mail_tries = mail_tries + 1, mail_due_at = now() + :lease_ms::bigint * interval '1 millisecond'
FROM organization o
WHERE o.id = :organization AND i.org_id = :organization AND i.id = (
    SELECT d.id FROM invitation d
    WHERE d.org_id = :organization AND d.id = :invitation AND d.mail_due_at <= now() AND d.accepted_at IS NULL AND d.expires_at > now()
    FOR UPDATE SKIP LOCKED)
RETURNING i.mail_tries, i.username, i.inviter_name, o.name, api_date(i.expires_at) AS expires_at, encode(i.sealed_token, 'hex') AS sealed_token
