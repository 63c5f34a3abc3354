-- Everybody who belongs to an organization, or was invited and has not answered; such a one goes by the invitation's id.
CREATE OR REPLACE VIEW member WITH (security_invoker = true) AS
SELECT g.org_id, g.principal_id AS id, n.username, 'ACTIVE' AS status
FROM (SELECT DISTINCT org_id, principal_id FROM role_grant) g JOIN person n ON n.id = g.principal_id
UNION ALL
SELECT i.org_id, i.id, i.username, CASE WHEN i.expires_at <= now() THEN 'INVITATION_EXPIRED' ELSE 'PENDING' END
FROM invitation i WHERE i.accepted_at IS NULL;
GRANT SELECT ON member TO reeve_reader, reeve_tenant;
