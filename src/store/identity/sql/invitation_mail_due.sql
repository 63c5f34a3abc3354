-- Open invitations whose mail may be sent now, those that wait longest first.
-- scope: none, because the worker serves all organizations; it claims each in a transaction of its organization
SELECT encode(i.org_id, 'hex') AS organization, encode(i.id, 'hex') AS invitation FROM invitation i
WHERE i.mail_due_at <= now() AND i.accepted_at IS NULL AND i.expires_at > now()
ORDER BY i.mail_due_at
LIMIT 32
