-- Who exists: organizations, projects, and everything that can call the API.
-- Identifiers are 12 bytes (base/id.h). `revision` comes from one sequence, so that no two states of an entity ever
-- share an ETag, also when it was deleted and made again.

CREATE DOMAIN reeve_id AS bytea CHECK (octet_length(VALUE) = 12);
CREATE SEQUENCE revision;

CREATE TABLE organization (
    id                   reeve_id PRIMARY KEY,
    name                 text NOT NULL,
    federation_id        reeve_id NOT NULL,
    access_list_required boolean NOT NULL,
    settings             jsonb NOT NULL DEFAULT '{}',
    created_at           timestamptz NOT NULL DEFAULT now(),
    revision             bigint NOT NULL DEFAULT nextval('revision')
);
CREATE INDEX organization_by_federation ON organization (federation_id);

CREATE TABLE project (
    id         reeve_id PRIMARY KEY,
    org_id     reeve_id NOT NULL REFERENCES organization,
    name       text NOT NULL,
    settings   jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    revision   bigint NOT NULL DEFAULT nextval('revision'),
    CONSTRAINT project_name_in_organization UNIQUE (org_id, name)
);
CREATE UNIQUE INDEX project_in_order ON project (org_id, id);

-- One row for everything that can hold a role. `generation` moves when its tokens must end.
CREATE TABLE principal (
    id         reeve_id PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('service_account', 'api_key', 'person')),
    org_id     reeve_id REFERENCES organization ON DELETE CASCADE, -- none for a person
    generation bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    revision   bigint NOT NULL DEFAULT nextval('revision'),
    CHECK ((org_id IS NULL) = (kind = 'person'))
);
CREATE INDEX principal_in_organization ON principal (org_id, id);

CREATE TABLE person (
    id         reeve_id PRIMARY KEY REFERENCES principal ON DELETE CASCADE,
    username   text NOT NULL,
    first_name text NOT NULL,
    last_name  text NOT NULL
);
CREATE UNIQUE INDEX person_username ON person (lower(username));

CREATE TABLE service_account (
    id          reeve_id PRIMARY KEY REFERENCES principal ON DELETE CASCADE,
    org_id      reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    name        text NOT NULL,
    description text NOT NULL
);

-- The secret itself is never here: `mac` is HMAC-SHA-256 under the pepper of version `pepper_version`.
CREATE TABLE service_account_secret (
    id             reeve_id PRIMARY KEY,
    account_id     reeve_id NOT NULL REFERENCES service_account ON DELETE CASCADE,
    org_id         reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    mac            bytea NOT NULL,
    pepper_version int NOT NULL,
    mask           text NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL,
    last_used_at   timestamptz
);
CREATE INDEX service_account_secret_of_account ON service_account_secret (account_id);

-- H(A1) is as good as the password, so both forms are sealed (AES-256-GCM, bound to table, row and column).
CREATE TABLE api_key (
    id           reeve_id PRIMARY KEY REFERENCES principal ON DELETE CASCADE,
    org_id       reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    public_key   text NOT NULL CONSTRAINT api_key_public_key UNIQUE,
    description  text NOT NULL,
    mask         text NOT NULL,
    ha1_md5      bytea NOT NULL,
    ha1_sha256   bytea NOT NULL,
    last_used_at timestamptz
);

-- One row an entry, here and below: two callers that add different entries never overwrite each other.
CREATE TABLE role_grant (
    principal_id reeve_id NOT NULL REFERENCES principal ON DELETE CASCADE,
    org_id       reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    project_id   reeve_id REFERENCES project ON DELETE CASCADE, -- none: granted in the organization
    role         text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX role_grant_once ON role_grant (principal_id, org_id, coalesce(project_id, ''::bytea), role);
CREATE INDEX role_grant_in_organization ON role_grant (org_id, principal_id);
CREATE INDEX role_grant_in_project ON role_grant (project_id, principal_id) WHERE project_id IS NOT NULL;

CREATE TABLE access_list_entry (
    principal_id reeve_id NOT NULL REFERENCES principal ON DELETE CASCADE,
    org_id       reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    block        cidr NOT NULL,
    comment      text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    PRIMARY KEY (principal_id, block)
);

-- A token revoked before it expired (RFC 7009); `fingerprint` is the first 16 bytes of its MAC.
CREATE TABLE revoked_token (
    principal_id reeve_id NOT NULL REFERENCES principal ON DELETE CASCADE,
    fingerprint  bytea NOT NULL,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (principal_id, fingerprint)
);

-- Keys that sign tokens and nonces, shared by all nodes, sealed under the master key. The newest signs, all verify.
CREATE TABLE signing_key (
    id         int PRIMARY KEY,
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- One data key an organization (and version), sealed under the master key.
CREATE TABLE data_key (
    org_id  reeve_id NOT NULL REFERENCES organization ON DELETE CASCADE,
    version int NOT NULL,
    sealed  bytea NOT NULL,
    PRIMARY KEY (org_id, version)
);

-- Limits that differ from the defaults. `owner` is an organization, a project or a user.
CREATE TABLE limit_override (
    owner    reeve_id NOT NULL,
    set_name text NOT NULL,
    capacity bigint NOT NULL CHECK (capacity > 0),
    refill   bigint NOT NULL CHECK (refill > 0),
    PRIMARY KEY (owner, set_name)
);
