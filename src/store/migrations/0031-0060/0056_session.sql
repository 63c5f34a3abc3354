-- People who sign in with a browser (docs/internals/sessions.md): sessions, passkeys, one-time tokens for the first passkey, and challenges that were used.

CREATE TABLE console_session (
    id             reeve_id PRIMARY KEY,
    person_id      reeve_id NOT NULL REFERENCES person ON DELETE CASCADE,
    mac            bytea NOT NULL, -- of the cookie's value, under the pepper of version `pepper_version`; the value itself is nowhere
    pepper_version int NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    used_at        timestamptz NOT NULL DEFAULT now(), -- to the minute
    verified_at    timestamptz NOT NULL DEFAULT now(), -- when the person last proved who they are, with a key
    expires_at     timestamptz NOT NULL,               -- however much it is used
    address        text NOT NULL,                      -- from where it was begun
    browser        text NOT NULL                       -- as it called itself then
);
CREATE INDEX console_session_of_person ON console_session (person_id);
CREATE INDEX console_session_over ON console_session (expires_at);

CREATE TABLE passkey (
    id         reeve_id PRIMARY KEY,
    person_id  reeve_id NOT NULL REFERENCES person ON DELETE CASCADE,
    credential bytea NOT NULL UNIQUE, -- the authenticator's id of it
    public_key bytea NOT NULL,        -- SubjectPublicKeyInfo
    counter    bigint NOT NULL DEFAULT 0,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    used_at    timestamptz
);
CREATE INDEX passkey_of_person ON passkey (person_id);

-- At most one for a person: a new one ends the one before.
CREATE TABLE enrolment (
    person_id      reeve_id PRIMARY KEY REFERENCES person ON DELETE CASCADE,
    mac            bytea NOT NULL UNIQUE,
    pepper_version int NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL
);
CREATE INDEX enrolment_over ON enrolment (expires_at);

-- Only what was answered with a right signature: nobody else makes us keep anything.
CREATE TABLE used_challenge (
    challenge  bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL -- then it would be refused by itself
);
CREATE INDEX used_challenge_over ON used_challenge (expires_at);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['console_session', 'passkey', 'enrolment', 'used_challenge'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
    END LOOP;
END $$;
