-- Passwords of people (docs/internals/sessions.md), tokens that take away what somebody lost, and mails about it.

CREATE TABLE password (
    person_id  reeve_id PRIMARY KEY REFERENCES person ON DELETE CASCADE,
    hash       text NOT NULL, -- argon2id with its salt and costs, of a MAC under a key that is not in the database
    changed_at timestamptz NOT NULL DEFAULT now()
);

-- Whoever uses such a token loses all passkeys, the password and all sessions that they had before.
ALTER TABLE enrolment ADD COLUMN is_recovery boolean NOT NULL DEFAULT false;

-- Mails to people about their own account. A row goes when its mail was sent, or after a week.
CREATE TABLE person_mail (
    id         reeve_id PRIMARY KEY,
    person_id  reeve_id NOT NULL REFERENCES person ON DELETE CASCADE,
    kind       text NOT NULL,
    address    text NOT NULL, -- from where it was done
    created_at timestamptz NOT NULL DEFAULT now(),
    due_at     timestamptz NOT NULL DEFAULT now(),
    tries      int NOT NULL DEFAULT 0
);
CREATE INDEX person_mail_due ON person_mail (due_at);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['password', 'person_mail'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
    END LOOP;
END $$;
