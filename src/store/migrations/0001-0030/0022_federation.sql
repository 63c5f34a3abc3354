-- Sign-in through an organization's own identity providers. An organization belongs to exactly one federation; most have one of
-- their own, and the operator can put several organizations into one. A federation exists as long as an organization is in it.
-- was: 5273b6f6b3cce8ff1cf38c190a3865e31a603be28df1d71b6de968df6413d6aa
CREATE TABLE federation (
    id         reeve_id PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Domains of e-mail addresses that the operator has found to be the federation's. A domain is in one federation only.
CREATE TABLE federation_domain (
    domain        text PRIMARY KEY CHECK (domain = lower(domain)),
    federation_id reeve_id NOT NULL REFERENCES federation ON DELETE CASCADE,
    created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX federation_domain_of_federation ON federation_domain (federation_id, domain);

CREATE TABLE identity_provider (
    id                 reeve_id PRIMARY KEY,
    federation_id      reeve_id NOT NULL REFERENCES federation ON DELETE CASCADE,
    protocol           text NOT NULL CHECK (protocol IN ('OIDC', 'SAML')),
    status             text NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE')),
    issuer_uri         text NOT NULL,
    domains            text[] NOT NULL,
    settings           jsonb NOT NULL, -- the fields that only people and the code of their protocol read
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    revision           bigint NOT NULL DEFAULT nextval('revision'),
    -- Public keys of an OIDC provider, as its JWKS has them; a worker fetches them.
    keys               jsonb,
    keys_fetched_at    timestamptz,
    keys_tried_at      timestamptz,
    keys_due_at        timestamptz NOT NULL DEFAULT now(),
    keys_failures      int NOT NULL DEFAULT 0,
    keys_error         text,
    keys_epoch         bigint NOT NULL DEFAULT 0, -- moves when what was fetched before must not be stored any more
    CONSTRAINT identity_provider_in_federation UNIQUE (federation_id, id)
);
CREATE INDEX identity_provider_of_issuer ON identity_provider (issuer_uri) WHERE protocol = 'OIDC' AND status = 'ACTIVE';
CREATE INDEX identity_provider_keys_due ON identity_provider (keys_due_at) WHERE protocol = 'OIDC' AND status = 'ACTIVE';

-- How one organization uses its federation. There is a row for each organization, made with it.
CREATE TABLE connected_organization (
    org_id             reeve_id PRIMARY KEY REFERENCES organization ON DELETE CASCADE,
    federation_id      reeve_id NOT NULL, -- that of the organization
    provider_id        reeve_id,
    domain_restriction boolean NOT NULL DEFAULT false,
    domain_allow_list  text[] NOT NULL DEFAULT '{}',
    sign_in_roles      text[] NOT NULL DEFAULT '{}', -- in the organization, of everybody who signed in
    revision           bigint NOT NULL DEFAULT nextval('revision'),
    -- Not of another federation's provider; and a provider in use stays.
    CONSTRAINT connected_organization_uses FOREIGN KEY (federation_id, provider_id) REFERENCES identity_provider (federation_id, id)
);
CREATE INDEX connected_organization_of_provider ON connected_organization (provider_id);
CREATE INDEX connected_organization_of_federation ON connected_organization (federation_id, org_id);

CREATE TABLE role_mapping (
    id             reeve_id PRIMARY KEY,
    org_id         reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    external_group text NOT NULL,
    revision       bigint NOT NULL DEFAULT nextval('revision'),
    CONSTRAINT role_mapping_of_group UNIQUE (org_id, external_group),
    CONSTRAINT role_mapping_in_order UNIQUE (org_id, id)
);

CREATE TABLE role_mapping_role (
    mapping_id reeve_id NOT NULL,
    org_id     reeve_id NOT NULL,
    project_id reeve_id, -- none: a role in the organization
    role       text NOT NULL,
    CONSTRAINT role_mapping_role_of_mapping FOREIGN KEY (org_id, mapping_id) REFERENCES role_mapping (org_id, id) ON DELETE CASCADE,
    CONSTRAINT role_mapping_role_in_project FOREIGN KEY (org_id, project_id) REFERENCES project (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX role_mapping_role_once ON role_mapping_role (org_id, mapping_id, coalesce(project_id, ''::bytea), role);
CREATE INDEX role_mapping_role_by_project ON role_mapping_role (org_id, project_id);

-- What the newest token of a person said, in each organization that uses its provider. Of the groups only those are kept that
-- are mapped to something.
CREATE TABLE federated_member (
    org_id          reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    person_id       reeve_id NOT NULL REFERENCES person ON DELETE CASCADE,
    provider_id     reeve_id NOT NULL REFERENCES identity_provider ON DELETE CASCADE,
    external_groups text[] NOT NULL,
    issued_at       timestamptz NOT NULL,
    signed_in_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, person_id)
);
CREATE INDEX federated_member_of_person ON federated_member (person_id, org_id);
CREATE INDEX federated_member_of_provider ON federated_member (provider_id);

-- ---- Who sees what ----

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['connected_organization', 'role_mapping', 'role_mapping_role', 'federated_member'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
END $$;

ALTER TABLE federation ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON federation TO reeve_reader;
CREATE POLICY reader ON federation FOR SELECT TO reeve_reader USING (true);
-- Only triggers make and remove federations; a lock needs the right to update.
GRANT SELECT, UPDATE ON federation TO reeve_tenant;
CREATE POLICY tenant ON federation TO reeve_tenant USING (id = reeve_federation());

ALTER TABLE identity_provider ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON identity_provider TO reeve_reader;
CREATE POLICY reader ON identity_provider FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON identity_provider TO reeve_tenant;
CREATE POLICY tenant ON identity_provider TO reeve_tenant USING (federation_id = reeve_federation());

-- Domains are the operator's: an organization sees its own federation's and changes none.
ALTER TABLE federation_domain ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON federation_domain TO reeve_reader;
CREATE POLICY reader ON federation_domain FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, DELETE ON federation_domain TO reeve_tenant;
CREATE POLICY tenant ON federation_domain FOR SELECT TO reeve_tenant USING (federation_id = reeve_federation());
CREATE POLICY operator ON federation_domain TO reeve_tenant USING (reeve_organization() = '\x000000000000000000000000'::bytea);

-- ---- Federations come and go with organizations ----

INSERT INTO federation (id) SELECT DISTINCT federation_id FROM organization;
INSERT INTO connected_organization (org_id, federation_id) SELECT id, federation_id FROM organization;
