-- Invitations go to the invited only, and what people are called is told by themselves to each organization.

-- The token waits here, sealed, until the mail is sent; it stays for the operator's command (the mail may be lost, or there is no mail server)
-- until the invitation is accepted. Those that nodes of the version before make have none: they answered it.
ALTER TABLE invitation ADD COLUMN sealed_token bytea,
                       ADD COLUMN mail_due_at  timestamptz, -- none: there is nothing to send
                       ADD COLUMN mail_tries   int NOT NULL DEFAULT 0,
                       ADD COLUMN mailed_at    timestamptz,
                       ADD COLUMN mail_error   text;
CREATE INDEX invitation_to_mail ON invitation (mail_due_at) WHERE mail_due_at IS NOT NULL;

-- What a person is called in one organization, as they said when they accepted. Another organization learns nothing of it.
CREATE TABLE member_name (
    org_id     reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    person_id  reeve_id NOT NULL REFERENCES person ON DELETE CASCADE,
    first_name text NOT NULL,
    last_name  text NOT NULL,
    country    text,
    PRIMARY KEY (org_id, person_id)
);
CREATE INDEX member_name_of_person ON member_name (person_id);
ALTER TABLE member_name ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON member_name TO reeve_reader;
CREATE POLICY reader ON member_name FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON member_name TO reeve_tenant;
CREATE POLICY tenant ON member_name TO reeve_tenant USING (org_id = reeve_organization());

INSERT INTO member_name (org_id, person_id, first_name, last_name, country)
SELECT DISTINCT g.org_id, n.id, n.first_name, n.last_name, n.country FROM role_grant g JOIN person n ON n.id = g.principal_id;

-- What somebody is called where these organizations look. The account's own names count where the person said nothing: members that were
-- there before this version, and those that nodes of the version before add.
CREATE FUNCTION person_names(p_person bytea, p_organizations bytea[]) RETURNS TABLE (first_name text, last_name text, country text)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(m.first_name, n.first_name), coalesce(m.last_name, n.last_name),
           CASE WHEN m.org_id IS NULL THEN n.country ELSE m.country END
    FROM person n
    LEFT JOIN LATERAL (SELECT x.org_id, x.first_name, x.last_name, x.country FROM member_name x
                       WHERE x.person_id = n.id AND x.org_id = ANY (p_organizations) ORDER BY x.org_id LIMIT 1) m ON true
    WHERE n.id = p_person
$$;

CREATE OR REPLACE FUNCTION member_json(p_org bytea, p_member bytea, p_project bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(m.id, 'hex'),
        'orgMembershipStatus', m.status,
        'username', m.username,
        'firstName', c.first_name,
        'lastName', c.last_name,
        'country', c.country,
        'createdAt', api_date(p.created_at),
        'invitationCreatedAt', api_date(i.created_at),
        'invitationExpiresAt', api_date(i.expires_at),
        'inviterUsername', i.inviter_name,
        'roles', CASE WHEN p_project IS NULL
                      THEN json_build_object('orgRoles', member_org_roles_json(p_org, p_member),
                                             'groupRoleAssignments', member_project_roles_json(p_org, p_member))
                      ELSE member_roles_json(p_org, p_member, p_project) END,
        'teamIds', CASE WHEN p_project IS NULL THEN team_ids_json(p_member, ARRAY[p_org]) END))::text
    FROM member m
    LEFT JOIN person n ON n.id = m.id
    LEFT JOIN principal p ON p.id = n.id
    LEFT JOIN LATERAL person_names(n.id, ARRAY[p_org]) c ON true
    LEFT JOIN invitation i ON i.id = m.id AND i.org_id = m.org_id
    WHERE m.org_id = p_org AND m.id = p_member
$$;

CREATE OR REPLACE FUNCTION person_json(p_person bytea, p_organizations bytea[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(n.id, 'hex'),
        'username', n.username,
        'firstName', c.first_name,
        'lastName', c.last_name,
        'country', c.country,
        'createdAt', api_date(p.created_at),
        'roles', (SELECT coalesce(json_agg(
                      CASE WHEN g.project_id IS NULL
                           THEN json_build_object('orgId', encode(g.org_id, 'hex'), 'roleName', g.role)
                           ELSE json_build_object('groupId', encode(g.project_id, 'hex'), 'roleName', g.role) END
                      ORDER BY g.org_id, g.project_id NULLS FIRST, g.role), '[]')
                  FROM role_grant g WHERE g.principal_id = n.id AND g.org_id = ANY (p_organizations)),
        'teamIds', team_ids_json(n.id, p_organizations)))::text
    FROM person n JOIN principal p ON p.id = n.id, LATERAL person_names(n.id, p_organizations) c
    WHERE n.id = p_person
$$;

CREATE OR REPLACE FUNCTION team_user_json(p_person bytea, p_org bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(n.id, 'hex'),
        'username', n.username,
        'firstName', c.first_name,
        'lastName', c.last_name,
        'createdAt', api_date(p.created_at),
        'orgMembershipStatus', 'ACTIVE',
        'roles', json_build_object(
            'orgRoles', roles_json(n.id, p_org, NULL),
            'groupRoleAssignments', (
                SELECT coalesce(json_agg(a.assignment), '[]')
                FROM (SELECT json_build_object('groupId', encode(g.project_id, 'hex'),
                                               'groupRoles', json_agg(g.role ORDER BY g.role)) AS assignment
                      FROM role_grant g
                      WHERE g.principal_id = n.id AND g.org_id = p_org AND g.project_id IS NOT NULL
                      GROUP BY g.project_id ORDER BY g.project_id) a)),
        'teamIds', (SELECT coalesce(json_agg(encode(m.team_id, 'hex') ORDER BY m.team_id), '[]')
                    FROM team_member m WHERE m.person_id = n.id AND m.org_id = p_org))::text
    FROM person n JOIN principal p ON p.id = n.id, LATERAL person_names(n.id, ARRAY[p_org]) c
    WHERE n.id = p_person
$$;

CREATE OR REPLACE FUNCTION connected_organization_json(p_org bytea) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_build_object(
        'orgId', encode(c.org_id, 'hex'),
        'identityProviderId', encode(c.provider_id, 'hex'),
        'domainRestrictionEnabled', c.domain_restriction,
        'domainAllowList', to_json(c.domain_allow_list),
        'postAuthRoleGrants', to_json(c.sign_in_roles),
        'instantUserProvisioningDisabled', true,
        'roleMappings', (SELECT coalesce(json_agg(role_mapping_json(m) ORDER BY m.id), '[]') FROM role_mapping m WHERE m.org_id = c.org_id),
        'userConflicts', (SELECT coalesce(json_agg(json_build_object(
                                'userId', encode(n.id, 'hex'), 'emailAddress', n.username, 'firstName', m.first_name,
                                'lastName', m.last_name, 'federationSettingsId', encode(c.federation_id, 'hex')) ORDER BY n.id), '[]')
                          FROM person n, LATERAL person_names(n.id, ARRAY[c.org_id::bytea]) m
                          WHERE c.domain_restriction
                            AND n.id IN (SELECT g.principal_id FROM role_grant g WHERE g.org_id = c.org_id)
                            AND NOT email_domain(n.username) = ANY (c.domain_allow_list)
                            AND NOT EXISTS (SELECT FROM federation_domain d
                                            WHERE d.federation_id = c.federation_id AND d.domain = email_domain(n.username))))
    FROM connected_organization c
    WHERE c.org_id = p_org
$$;
