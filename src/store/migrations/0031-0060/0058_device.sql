-- Sessions of people's own programs, such as `reeve login` (docs/internals/sessions.md): a session that a signed-in person approved for a device, and what signed-in
-- people have typed. Whoever only asks leaves nothing here.

ALTER TABLE console_session
    ADD COLUMN kind text NOT NULL DEFAULT 'BROWSER' CHECK (kind IN ('BROWSER', 'DEVICE')),
    ADD COLUMN idle interval NOT NULL DEFAULT '30 minutes', -- how long it may go unused
    ADD COLUMN host text NOT NULL DEFAULT '';               -- of a device: as it called itself

-- The code that somebody typed in their session, and the device that turned out to show it. At most one for a session.
CREATE TABLE device_claim (
    session_id reeve_id PRIMARY KEY REFERENCES console_session ON DELETE CASCADE,
    person_id  reeve_id NOT NULL REFERENCES person ON DELETE CASCADE,
    user_code  text NOT NULL,
    tries      int NOT NULL DEFAULT 1, -- how many codes were typed in the session since one was decided on
    claimed_at timestamptz NOT NULL DEFAULT now(),
    state      text NOT NULL DEFAULT 'LOOKING' CHECK (state IN ('LOOKING', 'FOUND', 'APPROVED', 'DENIED')),
    device     bytea, -- SHA-256 of its code, once it is found
    host       text,
    address    text,
    asked_at   timestamptz
);
CREATE INDEX device_claim_of_code ON device_claim (user_code);
CREATE INDEX device_claim_of_person ON device_claim (person_id);

ALTER TABLE device_claim ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON device_claim TO reeve_reader;
CREATE POLICY reader ON device_claim FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON device_claim TO reeve_tenant;
CREATE POLICY service ON device_claim TO reeve_tenant USING (reeve_is_service());
