-- What a principal holds, whichever way: granted by itself, through the teams of an organization that it belongs to, or through the
-- groups that its identity provider named.
CREATE OR REPLACE VIEW held_grant WITH (security_invoker = true) AS
SELECT principal_id, org_id, project_id, role FROM role_grant
UNION ALL
SELECT m.person_id, g.org_id, g.project_id, g.role
FROM team_member m
JOIN team_grant g ON g.org_id = m.org_id AND g.team_id = m.team_id
WHERE EXISTS (SELECT FROM role_grant own WHERE own.principal_id = m.person_id AND own.org_id = m.org_id)
UNION ALL
SELECT f.person_id, r.org_id, r.project_id, r.role
FROM federated_member f
JOIN connected_organization c ON c.org_id = f.org_id AND c.provider_id = f.provider_id
JOIN role_mapping m ON m.org_id = f.org_id AND m.external_group = ANY (f.external_groups)
JOIN role_mapping_role r ON r.org_id = m.org_id AND r.mapping_id = m.id
WHERE EXISTS (SELECT FROM role_grant own WHERE own.principal_id = f.person_id AND own.org_id = f.org_id)
UNION ALL
SELECT f.person_id, f.org_id, NULL::reeve_id, given.role
FROM federated_member f
JOIN connected_organization c ON c.org_id = f.org_id AND c.provider_id = f.provider_id
CROSS JOIN LATERAL unnest(c.sign_in_roles) AS given (role)
WHERE EXISTS (SELECT FROM role_grant own WHERE own.principal_id = f.person_id AND own.org_id = f.org_id);
GRANT SELECT ON held_grant TO reeve_reader, reeve_tenant;
