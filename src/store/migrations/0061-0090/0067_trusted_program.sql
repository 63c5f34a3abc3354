-- Programs whose tokens of an identity provider stand for a service account (docs/internals/federation.md): what its `userClaim` has in them.
CREATE TABLE trusted_program (
    account_id  reeve_id NOT NULL REFERENCES service_account ON DELETE CASCADE,
    org_id      reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    provider_id reeve_id NOT NULL REFERENCES identity_provider, -- one that is in use stays
    subject     text NOT NULL,
    PRIMARY KEY (account_id, provider_id, subject)
);
CREATE INDEX trusted_program_of_provider ON trusted_program (provider_id, org_id);
CREATE INDEX trusted_program_of_organization ON trusted_program (org_id);

ALTER TABLE trusted_program ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON trusted_program TO reeve_reader;
CREATE POLICY reader ON trusted_program FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON trusted_program TO reeve_tenant;
CREATE POLICY tenant ON trusted_program TO reeve_tenant USING (org_id = reeve_organization());
