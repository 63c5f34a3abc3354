-- Invitations go to the invited only, and what people are called is told by themselves to each organization.
-- was: d1eda7c65b3401a0334221676c95e65894d3d7ddfbbeb28bdfe7baca6bae6adb

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
