-- Sign-in through an organization's own identity providers. An organization belongs to exactly one federation; most have one of
-- their own, and the operator can put several organizations into one. A federation exists as long as an organization is in it.
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
-- The federation of the transaction's organization.
CREATE FUNCTION reeve_federation() RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT o.federation_id::bytea FROM organization o WHERE o.id = reeve_organization()
$$;

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
CREATE FUNCTION federation_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        -- What was agreed with the old federation ends here.
        DELETE FROM role_mapping WHERE org_id = OLD.id;
        DELETE FROM federated_member WHERE org_id = OLD.id;
        DELETE FROM connected_organization WHERE org_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO federation (id) VALUES (NEW.federation_id) ON CONFLICT DO NOTHING;
        INSERT INTO connected_organization (org_id, federation_id) VALUES (NEW.id, NEW.federation_id);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM federation f
            WHERE f.id = OLD.federation_id AND NOT EXISTS (SELECT FROM organization o WHERE o.federation_id = f.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER federation_begins AFTER INSERT OR DELETE ON organization
    FOR EACH ROW EXECUTE FUNCTION federation_follows();
CREATE TRIGGER federation_changes AFTER UPDATE OF federation_id ON organization
    FOR EACH ROW WHEN (OLD.federation_id IS DISTINCT FROM NEW.federation_id) EXECUTE FUNCTION federation_follows();
INSERT INTO federation (id) SELECT DISTINCT federation_id FROM organization;
INSERT INTO connected_organization (org_id, federation_id) SELECT id, federation_id FROM organization;

-- A project that moves leaves the mappings of its old organization behind, as it does teams.
CREATE FUNCTION role_mapping_left_behind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM role_mapping_role WHERE org_id = OLD.org_id AND project_id = OLD.id;
    RETURN NEW;
END $$;
CREATE TRIGGER role_mapping_left_behind BEFORE UPDATE OF org_id ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION role_mapping_left_behind();

-- Who holds no role in an organization any more has not signed in to it either: see team_member_left().
CREATE FUNCTION federated_member_left() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM federated_member m
        WHERE m.person_id = OLD.principal_id AND m.org_id = OLD.org_id
          AND NOT EXISTS (SELECT FROM role_grant g WHERE g.principal_id = OLD.principal_id AND g.org_id = OLD.org_id);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER federated_member_left AFTER DELETE OR UPDATE OF org_id ON role_grant
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION federated_member_left();

-- What a principal holds, whichever way: granted by itself, through the teams of an organization that it belongs to, or through the
-- groups that its identity provider named.
CREATE OR REPLACE VIEW held_grant WITH (security_invoker = true) AS
SELECT principal_id, org_id, project_id, role FROM role_grant
UNION ALL
SELECT m.person_id, g.org_id, g.project_id, g.role
FROM team_member m
JOIN team_grant g ON g.org_id = m.org_id AND g.team_id = m.team_id
WHERE EXISTS (SELECT FROM role_grant own WHERE own.principal_id = m.person_id AND own.org_id = m.org_id)
UNION ALL
SELECT f.person_id, r.org_id, r.project_id, r.role
FROM federated_member f
JOIN connected_organization c ON c.org_id = f.org_id AND c.provider_id = f.provider_id
JOIN role_mapping m ON m.org_id = f.org_id AND m.external_group = ANY (f.external_groups)
JOIN role_mapping_role r ON r.org_id = m.org_id AND r.mapping_id = m.id
WHERE EXISTS (SELECT FROM role_grant own WHERE own.principal_id = f.person_id AND own.org_id = f.org_id)
UNION ALL
SELECT f.person_id, f.org_id, NULL::reeve_id, given.role
FROM federated_member f
JOIN connected_organization c ON c.org_id = f.org_id AND c.provider_id = f.provider_id
CROSS JOIN LATERAL unnest(c.sign_in_roles) AS given (role)
WHERE EXISTS (SELECT FROM role_grant own WHERE own.principal_id = f.person_id AND own.org_id = f.org_id);

-- ---- How it looks in the API ----
CREATE FUNCTION role_mapping_json(m role_mapping) RETURNS json LANGUAGE sql STABLE AS $$
    SELECT json_build_object(
        'id', encode(m.id, 'hex'),
        'externalGroupName', m.external_group,
        'roleAssignments', (SELECT coalesce(json_agg(
                                CASE WHEN r.project_id IS NULL
                                     THEN json_build_object('orgId', encode(r.org_id, 'hex'), 'role', r.role)
                                     ELSE json_build_object('groupId', encode(r.project_id, 'hex'), 'role', r.role) END
                                ORDER BY r.project_id NULLS FIRST, r.role), '[]')
                            FROM role_mapping_role r WHERE r.org_id = m.org_id AND r.mapping_id = m.id))
$$;

CREATE FUNCTION email_domain(p_address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT lower(split_part(p_address, '@', 2))
$$;

-- The organizations of one federation see each other's configuration: whoever asks has been found to belong to it.
CREATE FUNCTION connected_organization_json(p_org bytea) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_build_object(
        'orgId', encode(c.org_id, 'hex'),
        'identityProviderId', encode(c.provider_id, 'hex'),
        'domainRestrictionEnabled', c.domain_restriction,
        'domainAllowList', to_json(c.domain_allow_list),
        'postAuthRoleGrants', to_json(c.sign_in_roles),
        'instantUserProvisioningDisabled', true,
        'roleMappings', (SELECT coalesce(json_agg(role_mapping_json(m) ORDER BY m.id), '[]') FROM role_mapping m WHERE m.org_id = c.org_id),
        'userConflicts', (SELECT coalesce(json_agg(json_build_object(
                                'userId', encode(n.id, 'hex'), 'emailAddress', n.username, 'firstName', n.first_name,
                                'lastName', n.last_name, 'federationSettingsId', encode(c.federation_id, 'hex')) ORDER BY n.id), '[]')
                          FROM person n
                          WHERE c.domain_restriction
                            AND n.id IN (SELECT g.principal_id FROM role_grant g WHERE g.org_id = c.org_id)
                            AND NOT email_domain(n.username) = ANY (c.domain_allow_list)
                            AND NOT EXISTS (SELECT FROM federation_domain d
                                            WHERE d.federation_id = c.federation_id AND d.domain = email_domain(n.username))))
    FROM connected_organization c
    WHERE c.org_id = p_org
$$;

CREATE FUNCTION identity_provider_json(p identity_provider) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT (jsonb_build_object(
        'id', encode(p.id, 'hex'),
        'protocol', p.protocol,
        'idpType', 'WORKFORCE',
        'status', p.status,
        'issuerUri', p.issuer_uri,
        'associatedDomains', to_jsonb(p.domains),
        'createdAt', api_date(p.created_at),
        'updatedAt', api_date(p.updated_at),
        'associatedOrgs', (SELECT coalesce(json_agg(connected_organization_json(c.org_id) ORDER BY c.org_id), '[]')
                           FROM connected_organization c WHERE c.provider_id = p.id))
        || CASE WHEN p.protocol = 'OIDC' THEN jsonb_strip_nulls(jsonb_build_object(
               'keyIds', (SELECT coalesce(json_agg(k ->> 'kid'), '[]') FROM jsonb_array_elements(coalesce(p.keys, '[]')) k),
               'keysFetchedAt', api_date(p.keys_fetched_at),
               'keysError', p.keys_error)) ELSE '{}' END
        || (p.settings - 'hidden'))::text
$$;

-- Whether an organization takes in people with this address.
CREATE FUNCTION federation_lets_in(p_org bytea, p_address text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT NOT c.domain_restriction OR email_domain(p_address) = ANY (c.domain_allow_list)
                            OR EXISTS (SELECT FROM federation_domain d
                                       WHERE d.federation_id = c.federation_id AND d.domain = email_domain(p_address))
                     FROM connected_organization c WHERE c.org_id = p_org), true)
$$;

-- How many organizations share the federation of one of them; a tenant sees only itself.
CREATE FUNCTION federation_size(p_org bytea) RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM organization o WHERE o.federation_id = (SELECT own.federation_id FROM organization own WHERE own.id = p_org)
$$;
