-- Their roles, held or waiting.
CREATE OR REPLACE VIEW member_role WITH (security_invoker = true) AS
SELECT g.org_id, g.principal_id AS id, g.project_id, g.role FROM role_grant g
UNION ALL
SELECT r.org_id, r.invitation_id, r.project_id, r.role FROM invitation_role r;
GRANT SELECT ON member_role TO reeve_reader, reeve_tenant;
