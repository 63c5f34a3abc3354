-- People in organizations: invitations, what a member looks like, and how much a project may hold.

ALTER TABLE person ADD COLUMN country text;

-- One row an invitation. The token is never here: `mac` is HMAC-SHA-256 under the pepper of version `pepper_version`.
-- Used ones stay, so that a token is known to be used; they are no longer shown.
CREATE TABLE invitation (
    id             reeve_id PRIMARY KEY,
    org_id         reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    username       text NOT NULL, -- the address that it is bound to
    mac            bytea NOT NULL CONSTRAINT invitation_token UNIQUE,
    pepper_version int NOT NULL,
    inviter_name   text NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL,
    accepted_at    timestamptz
);
CREATE UNIQUE INDEX invitation_once ON invitation (org_id, lower(username)) WHERE accepted_at IS NULL;

-- What the invited person gets, one row a role: two callers that add different roles never overwrite each other. Without a
-- role in the organization it is that of a member.
CREATE TABLE invitation_role (
    invitation_id reeve_id NOT NULL REFERENCES invitation ON DELETE CASCADE,
    org_id        reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    project_id    reeve_id REFERENCES project ON DELETE CASCADE, -- none: in the organization
    role          text NOT NULL
);
CREATE UNIQUE INDEX invitation_role_once ON invitation_role (invitation_id, coalesce(project_id, ''::bytea), role);
CREATE INDEX invitation_role_in_project ON invitation_role (project_id) WHERE project_id IS NOT NULL;

-- How many invitations an organization made today, those that were taken back included.
CREATE TABLE invitation_count (
    org_id reeve_id PRIMARY KEY REFERENCES organization ON DELETE CASCADE,
    day    date NOT NULL,
    n      int NOT NULL
);

-- A project's own values of limits that have a default.
CREATE TABLE project_limit (
    project_id reeve_id NOT NULL REFERENCES project ON DELETE CASCADE,
    org_id     reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    name       text NOT NULL,
    value      bigint NOT NULL CHECK (value >= 0),
    revision   bigint NOT NULL DEFAULT nextval('revision'),
    PRIMARY KEY (project_id, name)
);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['invitation', 'invitation_role', 'invitation_count', 'project_limit'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
END $$;

-- When a project moves, invitations of the old organization lose their roles in it (and go when nothing is left of them), and
-- its limits go along. A trigger, so that project_move() need not know of these tables.
CREATE FUNCTION people_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    WITH emptied AS (DELETE FROM invitation_role r WHERE r.project_id = NEW.id RETURNING r.invitation_id)
    DELETE FROM invitation i USING emptied e
    WHERE i.id = e.invitation_id AND i.accepted_at IS NULL
      AND NOT EXISTS (SELECT FROM invitation_role o
                      WHERE o.invitation_id = i.id AND o.project_id IS DISTINCT FROM NEW.id);
    UPDATE project_limit SET org_id = NEW.org_id WHERE project_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER people_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION people_project_moved();

-- When a project is deleted, whoever was invited to it only is not invited any more; else an empty invitation would be left,
-- which makes a member of the organization.
CREATE FUNCTION people_project_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM invitation i
    WHERE i.accepted_at IS NULL
      AND EXISTS (SELECT FROM invitation_role r WHERE r.invitation_id = i.id AND r.project_id = OLD.id)
      AND NOT EXISTS (SELECT FROM invitation_role r WHERE r.invitation_id = i.id AND r.project_id IS DISTINCT FROM OLD.id);
    RETURN OLD;
END $$;
CREATE TRIGGER people_deleted BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION people_project_deleted();

-- Everybody who belongs to an organization, or was invited and has not answered; such a one goes by the invitation's id.
CREATE VIEW member WITH (security_invoker = true) AS
SELECT g.org_id, g.principal_id AS id, n.username, 'ACTIVE' AS status
FROM (SELECT DISTINCT org_id, principal_id FROM role_grant) g JOIN person n ON n.id = g.principal_id
UNION ALL
SELECT i.org_id, i.id, i.username, CASE WHEN i.expires_at <= now() THEN 'INVITATION_EXPIRED' ELSE 'PENDING' END
FROM invitation i WHERE i.accepted_at IS NULL;

-- Their roles, held or waiting.
CREATE VIEW member_role WITH (security_invoker = true) AS
SELECT g.org_id, g.principal_id AS id, g.project_id, g.role FROM role_grant g
UNION ALL
SELECT r.org_id, r.invitation_id, r.project_id, r.role FROM invitation_role r;

GRANT SELECT ON member, member_role TO reeve_tenant, reeve_reader;

-- A revision for what has none of its own because many rows make it up: never 0, and the same for the same text.
CREATE FUNCTION text_revision(p_text text) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN (hashtextextended(p_text, 0) & 9223372036854775806) + 1;

CREATE FUNCTION member_roles_json(p_org bytea, p_member bytea, p_project bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(r.role ORDER BY r.role), '[]')
    FROM member_role r
    WHERE r.org_id = p_org AND r.id = p_member AND r.project_id IS NOT DISTINCT FROM p_project
$$;

-- Roles in the organization; an invitation without any makes a member.
CREATE FUNCTION member_org_roles_json(p_org bytea, p_member bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN i.id IS NOT NULL AND json_array_length(roles) = 0 THEN '["ORG_MEMBER"]'::json ELSE roles END
    FROM member_roles_json(p_org, p_member, NULL) roles
    LEFT JOIN invitation i ON i.org_id = p_org AND i.id = p_member
$$;

CREATE FUNCTION member_project_roles_json(p_org bytea, p_member bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_agg(json_build_object('groupId', encode(one.project_id, 'hex'), 'groupRoles', one.roles)
                             ORDER BY one.project_id), '[]')
    FROM (SELECT r.project_id::bytea, json_agg(r.role ORDER BY r.role) AS roles FROM member_role r
          WHERE r.org_id = p_org AND r.id = p_member AND r.project_id IS NOT NULL GROUP BY 1) one
$$;

-- A member as the API shows it in the organization, or in a project.
CREATE FUNCTION member_json(p_org bytea, p_member bytea, p_project bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(m.id, 'hex'),
        'orgMembershipStatus', m.status,
        'username', m.username,
        'firstName', n.first_name,
        'lastName', n.last_name,
        'country', n.country,
        'createdAt', api_date(p.created_at),
        'invitationCreatedAt', api_date(i.created_at),
        'invitationExpiresAt', api_date(i.expires_at),
        'inviterUsername', i.inviter_name,
        'roles', CASE WHEN p_project IS NULL
                      THEN json_build_object('orgRoles', member_org_roles_json(p_org, p_member),
                                             'groupRoleAssignments', member_project_roles_json(p_org, p_member))
                      ELSE member_roles_json(p_org, p_member, p_project) END,
        'teamIds', CASE WHEN p_project IS NULL THEN '[]'::json END))::text
    FROM member m
    LEFT JOIN person n ON n.id = m.id
    LEFT JOIN principal p ON p.id = n.id
    LEFT JOIN invitation i ON i.id = m.id AND i.org_id = m.org_id
    WHERE m.org_id = p_org AND m.id = p_member
$$;

-- An invitation as the API shows it in the organization, or in a project.
CREATE FUNCTION invitation_json(p_org bytea, p_invitation bytea, p_project bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(i.id, 'hex'),
        'orgId', CASE WHEN p_project IS NULL THEN encode(i.org_id, 'hex') END,
        'orgName', CASE WHEN p_project IS NULL THEN o.name END,
        'groupId', encode(p.id, 'hex'),
        'groupName', p.name,
        'username', i.username,
        'inviterUsername', i.inviter_name,
        'createdAt', api_date(i.created_at),
        'expiresAt', api_date(i.expires_at),
        'roles', CASE WHEN p_project IS NULL THEN member_org_roles_json(p_org, p_invitation)
                      ELSE member_roles_json(p_org, p_invitation, p_project) END,
        'groupRoleAssignments', CASE WHEN p_project IS NULL THEN
            (SELECT coalesce(json_agg(json_build_object('groupId', encode(r.project_id, 'hex'), 'groupRole', r.role)
                                      ORDER BY r.project_id, r.role), '[]')
             FROM invitation_role r WHERE r.invitation_id = i.id AND r.project_id IS NOT NULL) END,
        'teamIds', CASE WHEN p_project IS NULL THEN '[]'::json END))::text
    FROM invitation i
    JOIN organization o ON o.id = i.org_id
    LEFT JOIN project p ON p.id = p_project AND p.org_id = i.org_id
    WHERE i.org_id = p_org AND i.id = p_invitation AND i.accepted_at IS NULL
$$;

-- A person as somebody sees who belongs to these organizations: of the roles only those granted there.
CREATE FUNCTION person_json(p_person bytea, p_organizations bytea[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(n.id, 'hex'),
        'username', n.username,
        'firstName', n.first_name,
        'lastName', n.last_name,
        'country', n.country,
        'createdAt', api_date(p.created_at),
        'roles', (SELECT coalesce(json_agg(
                      CASE WHEN g.project_id IS NULL
                           THEN json_build_object('orgId', encode(g.org_id, 'hex'), 'roleName', g.role)
                           ELSE json_build_object('groupId', encode(g.project_id, 'hex'), 'roleName', g.role) END
                      ORDER BY g.org_id, g.project_id NULLS FIRST, g.role), '[]')
                  FROM role_grant g WHERE g.principal_id = n.id AND g.org_id = ANY (p_organizations)),
        'teamIds', '[]'::json))::text
    FROM person n JOIN principal p ON p.id = n.id
    WHERE n.id = p_person
$$;
