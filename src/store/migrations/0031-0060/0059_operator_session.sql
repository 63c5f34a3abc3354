-- Operators who sign in with a browser (docs/internals/sessions.md#operators). Tables of their own: what is in people's tables opens nothing here.

CREATE TABLE operator_session (
    id          reeve_id PRIMARY KEY,
    operator_id reeve_id NOT NULL REFERENCES operator ON DELETE CASCADE,
    mac         bytea NOT NULL, -- of the cookie's value, which itself is nowhere
    created_at  timestamptz NOT NULL DEFAULT now(),
    used_at     timestamptz NOT NULL DEFAULT now(), -- to the minute
    verified_at timestamptz NOT NULL DEFAULT now(), -- when the operator last proved who they are, with a key
    expires_at  timestamptz NOT NULL,               -- however much it is used
    address     text NOT NULL,                      -- from where it was begun
    browser     text NOT NULL                       -- as it called itself then
);
CREATE INDEX operator_session_of_operator ON operator_session (operator_id);
CREATE INDEX operator_session_over ON operator_session (expires_at);

CREATE TABLE operator_passkey (
    id          reeve_id PRIMARY KEY,
    operator_id reeve_id NOT NULL REFERENCES operator ON DELETE CASCADE,
    credential  bytea NOT NULL UNIQUE, -- the authenticator's id of it
    public_key  bytea NOT NULL,        -- SubjectPublicKeyInfo
    counter     bigint NOT NULL DEFAULT 0,
    name        text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    used_at     timestamptz
);
CREATE INDEX operator_passkey_of_operator ON operator_passkey (operator_id);

-- At most one for an operator: a new one ends the one before.
CREATE TABLE operator_enrolment (
    operator_id reeve_id PRIMARY KEY REFERENCES operator ON DELETE CASCADE,
    mac         bytea NOT NULL UNIQUE,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX operator_enrolment_over ON operator_enrolment (expires_at);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['operator_session', 'operator_passkey', 'operator_enrolment'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
    END LOOP;
END $$;
