-- People in organizations: invitations, what a member looks like, and how much a project may hold.
-- was: 1bc0040ff52f2e5423cb593db487ff19e96fbd55ee0fc8cc9d525ee75370017f

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
