-- Open invitations of all organizations with what became of their mails, the newest first, as a JSON list.
-- scope: none, because operators see to it that invitations arrive
SELECT coalesce(json_agg(json_build_object(
           'invitationId', encode(i.id, 'hex'), 'orgId', encode(i.org_id, 'hex'), 'username', i.username,
           'createdAt', api_date(i.created_at), 'mailedAt', api_date(i.mailed_at), 'mailError', i.mail_error)
           ORDER BY i.created_at DESC), '[]')::text AS list
FROM (SELECT * FROM invitation WHERE accepted_at IS NULL AND expires_at > now() ORDER BY created_at DESC LIMIT 1000) i
