-- Teams: people of one organization who receive roles in its projects together. One row an entry, as everywhere: two callers
-- that add different members or roles never overwrite each other. The references carry the organization, so that no row can
-- tie a team to a project or another team's rows of somebody else.
CREATE TABLE team (
    id         reeve_id PRIMARY KEY,
    org_id     reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revision   bigint NOT NULL DEFAULT nextval('revision'), -- moves with its members and its roles as well
    CONSTRAINT team_name_in_organization UNIQUE (org_id, name),
    CONSTRAINT team_in_order UNIQUE (org_id, id)
);

CREATE TABLE team_member (
    team_id    reeve_id NOT NULL,
    org_id     reeve_id NOT NULL,
    person_id  reeve_id NOT NULL REFERENCES person ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, team_id, person_id),
    CONSTRAINT team_member_of_team FOREIGN KEY (org_id, team_id) REFERENCES team (org_id, id) ON DELETE CASCADE
);
CREATE INDEX team_member_of_person ON team_member (person_id, org_id);

CREATE TABLE team_grant (
    team_id    reeve_id NOT NULL,
    org_id     reeve_id NOT NULL,
    project_id reeve_id NOT NULL,
    role       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, team_id, project_id, role),
    CONSTRAINT team_grant_of_team FOREIGN KEY (org_id, team_id) REFERENCES team (org_id, id) ON DELETE CASCADE,
    CONSTRAINT team_grant_in_project FOREIGN KEY (org_id, project_id) REFERENCES project (org_id, id) ON DELETE CASCADE
);
CREATE INDEX team_grant_by_project ON team_grant (org_id, project_id, team_id);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['team', 'team_member', 'team_grant'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
END $$;

-- A project that moves to another organization leaves the teams of the old one behind. Before the move, because the
-- references above would not let it go.
CREATE FUNCTION team_grant_left_behind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM team_grant WHERE org_id = OLD.org_id AND project_id = OLD.id;
    RETURN NEW;
END $$;
CREATE TRIGGER team_grant_left_behind BEFORE UPDATE OF org_id ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION team_grant_left_behind();

-- Who holds no role in an organization any more is in none of its teams: else a person who comes back years later would
-- find the old teams' rights there. Looked at when the transaction commits, because roles are replaced by taking some away
-- before others are given. Whoever adds a member locks the roles that make a person one (team_person_find.sql).
CREATE FUNCTION team_member_left() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM team_member m
        WHERE m.person_id = OLD.principal_id AND m.org_id = OLD.org_id
          AND NOT EXISTS (SELECT FROM role_grant g WHERE g.principal_id = OLD.principal_id AND g.org_id = OLD.org_id);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER team_member_left AFTER DELETE OR UPDATE OF org_id ON role_grant
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION team_member_left();

-- What a principal holds, whichever way: granted by itself, or through the teams of an organization that it belongs to.
CREATE VIEW held_grant WITH (security_invoker = true) AS
SELECT principal_id, org_id, project_id, role FROM role_grant
UNION ALL
SELECT m.person_id, g.org_id, g.project_id, g.role
FROM team_member m
JOIN team_grant g ON g.org_id = m.org_id AND g.team_id = m.team_id
WHERE EXISTS (SELECT FROM role_grant own WHERE own.principal_id = m.person_id AND own.org_id = m.org_id);
GRANT SELECT ON held_grant TO reeve_tenant, reeve_reader;

-- How teams look in the API.
CREATE FUNCTION team_json(t team) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object('id', encode(t.id, 'hex'), 'name', t.name)::text
$$;

-- A team's roles in one project.
CREATE FUNCTION team_role_json(p_team bytea, p_org bytea, p_project bytea) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object('teamId', encode(p_team, 'hex'), 'roleNames', coalesce(json_agg(g.role ORDER BY g.role), '[]'))
    FROM team_grant g
    WHERE g.team_id = p_team AND g.org_id = p_org AND g.project_id = p_project
$$;

-- All of a team, for the event of its creation or end.
CREATE FUNCTION team_record_json(t team) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(t.id, 'hex'),
        'name', t.name,
        'usernames', (SELECT coalesce(json_agg(n.username ORDER BY n.username), '[]')
                      FROM team_member m JOIN person n ON n.id = m.person_id
                      WHERE m.org_id = t.org_id AND m.team_id = t.id),
        'groupRoleAssignments', (SELECT coalesce(json_agg(p.assignment), '[]')
                                 FROM (SELECT json_build_object('groupId', encode(g.project_id, 'hex'),
                                                                'groupRoles', json_agg(g.role ORDER BY g.role)) AS assignment
                                       FROM team_grant g WHERE g.org_id = t.org_id AND g.team_id = t.id
                                       GROUP BY g.project_id ORDER BY g.project_id) p))::text
$$;

-- A person as the organization sees its members.
CREATE FUNCTION team_user_json(p_person bytea, p_org bytea) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(n.id, 'hex'),
        'username', n.username,
        'firstName', n.first_name,
        'lastName', n.last_name,
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
    FROM person n JOIN principal p ON p.id = n.id
    WHERE n.id = p_person
$$;
