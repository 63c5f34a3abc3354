-- What the security contact of an organization is to be told: a row for each address, however much happens. The events say what.
CREATE TABLE security_notice (
    org_id    reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    recipient text NOT NULL,
    told_seq  bigint NOT NULL, -- events of the organization up to this one were told
    last_seq  bigint NOT NULL,
    due_at    timestamptz NOT NULL DEFAULT now(),
    told_at   timestamptz, -- when the address was last written to
    tries     int NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, recipient)
);
CREATE INDEX security_notice_due ON security_notice (due_at);
CREATE INDEX security_notice_recipient ON security_notice (lower(recipient));

ALTER TABLE security_notice ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON security_notice TO reeve_reader;
CREATE POLICY reader ON security_notice FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON security_notice TO reeve_tenant;
CREATE POLICY service ON security_notice TO reeve_tenant USING (reeve_is_service());
