-- Teams: people of one organization who receive roles in its projects together. One row an entry, as everywhere: two callers
-- that add different members or roles never overwrite each other. The references carry the organization, so that no row can
-- tie a team to a project or another team's rows of somebody else.
-- was: a53171ad7cfc2a9ef9f8ef79557fbf7f7b6c2535c8adf0db9ceef8b32898ae23
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
