-- The operator's side: where clusters can be, and what is where. Changed by the service only (transactions that name the
-- service), and by the functions that run as the owner: placing, releasing and reporting cross organizations.

CREATE TABLE provider (
    name text PRIMARY KEY CHECK (name ~ '^[A-Z][A-Z0-9_]{0,31}$')
);
CREATE TABLE region (
    provider text NOT NULL REFERENCES provider (name),
    name     text NOT NULL CHECK (name ~ '^[A-Z0-9][A-Z0-9_-]{0,62}$'),
    PRIMARY KEY (provider, name)
);
CREATE TABLE instance_size (
    name            text PRIMARY KEY CHECK (name ~ '^[A-Z][A-Z0-9_]{0,31}$'),
    cpus            numeric NOT NULL CHECK (cpus > 0),
    memory_mb       int NOT NULL CHECK (memory_mb > 0),
    disk_gb         int NOT NULL CHECK (disk_gb > 0), -- unless a cluster says otherwise
    max_connections int NOT NULL CHECK (max_connections > 0),
    ordinal         int NOT NULL -- small ones first
);

-- Reeve's own certificate authorities. Their keys are sealed, bound to authority/<id>/key.
CREATE TABLE authority (
    id          reeve_id PRIMARY KEY,
    purpose     text NOT NULL, -- FLEET: hosts, members, etcd; PROJECT: users of one project
    project_id  reeve_id,
    org_id      reeve_id,
    certificate text NOT NULL, -- PEM
    key         bytea NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    not_after   timestamptz NOT NULL
);
CREATE UNIQUE INDEX authority_of_fleet ON authority (purpose) WHERE purpose = 'FLEET';
CREATE UNIQUE INDEX authority_of_project ON authority (project_id) WHERE purpose = 'PROJECT';

CREATE TABLE join_token (
    hash       bytea PRIMARY KEY, -- HMAC-SHA-256 of the token
    host_name  text NOT NULL,
    provider   text NOT NULL,
    region     text NOT NULL,
    zone       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz, -- by the host that joined with it
    FOREIGN KEY (provider, region) REFERENCES region (provider, name)
);

CREATE TABLE host (
    id             reeve_id PRIMARY KEY,
    name           text NOT NULL UNIQUE,
    provider       text NOT NULL,
    region         text NOT NULL,
    zone           text NOT NULL,
    state          text NOT NULL DEFAULT 'ACTIVE' CHECK (state IN ('ACTIVE', 'DRAINING', 'DRAINED', 'REMOVED')),
    epoch          bigint NOT NULL DEFAULT 1, -- moves when the host joins again: whoever has an older one is refused
    -- What there is and what members have reserved of it. cpus and memory may be set by the operator to less than there is.
    cpus           numeric NOT NULL,
    memory_mb      int NOT NULL,
    disk_gb        int NOT NULL,
    used_cpus      numeric NOT NULL DEFAULT 0,
    used_memory_mb int NOT NULL DEFAULT 0,
    used_disk_gb   int NOT NULL DEFAULT 0,
    address        inet, -- its own: members on other hosts see connections come from it
    facts          jsonb NOT NULL DEFAULT '{}',
    seen_version   bigint NOT NULL DEFAULT 0, -- the goal that the agent last said it had reached
    joined_at      timestamptz NOT NULL DEFAULT now(),
    last_seen_at   timestamptz,
    FOREIGN KEY (provider, region) REFERENCES region (provider, name),
    CHECK (used_cpus BETWEEN 0 AND cpus AND used_memory_mb BETWEEN 0 AND memory_mb AND used_disk_gb BETWEEN 0 AND disk_gb)
);
CREATE INDEX host_in_region ON host (provider, region) WHERE state = 'ACTIVE';

-- Moves with anything that the host's goal document says. Not a column of host: a transaction that places a member keeps the
-- row of its host locked, and one that changes the goals of many hosts would meet it the other way round.
CREATE TABLE host_goal_version (
    host_id reeve_id PRIMARY KEY REFERENCES host (id) ON DELETE CASCADE,
    version bigint NOT NULL DEFAULT 1
) WITH (fillfactor = 50);

-- What a cluster needs beside its document, which is a resource of the kind 'cluster' with the same id.
CREATE TABLE cluster (
    id               reeve_id PRIMARY KEY,
    org_id           reeve_id NOT NULL,
    project_id       reeve_id NOT NULL,
    name             text NOT NULL,
    kind             text NOT NULL DEFAULT 'DEDICATED' CHECK (kind IN ('DEDICATED', 'FLEX')),
    set_name         text NOT NULL UNIQUE CHECK (set_name ~ '^[a-z0-9]{6}$'), -- replica set, Patroni scope, host names
    major_version    text NOT NULL, -- '17'
    parameters       jsonb NOT NULL DEFAULT '{}', -- of PostgreSQL, text to text, what the size gives included
    goal_generation  bigint NOT NULL DEFAULT 1, -- moves with anything of the cluster that members must take over
    created_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX cluster_of_project ON cluster (project_id);

-- A member is one postgres process of a cluster on one host, with an address of its own. The row is its reservation.
-- (`member` is the view of an organization's people.)
CREATE TABLE cluster_member (
    id                reeve_id PRIMARY KEY,
    org_id            reeve_id NOT NULL,
    cluster_id        reeve_id NOT NULL REFERENCES cluster (id),
    host_id           reeve_id NOT NULL REFERENCES host (id),
    ordinal           int NOT NULL, -- in the cluster; never used again while the cluster lives
    desired           text NOT NULL DEFAULT 'PLANNED' CHECK (desired IN ('PLANNED', 'RUNNING', 'STOPPED', 'REMOVED')),
    size              text NOT NULL REFERENCES instance_size (name),
    cpus              numeric NOT NULL,
    memory_mb         int NOT NULL,
    disk_gb           int NOT NULL,
    electable         boolean NOT NULL DEFAULT true, -- may become the primary
    priority          int NOT NULL DEFAULT 7, -- of its region: higher ones become the primary rather
    restart_nonce     bigint NOT NULL DEFAULT 0, -- a restart is wanted until the agent reports this number
    -- What its agent reported last.
    unit              text NOT NULL DEFAULT 'unknown', -- active, inactive, failed, absent
    role              text NOT NULL DEFAULT 'NONE', -- PRIMARY, REPLICA, SYNC_STANDBY, NONE
    running           text NOT NULL DEFAULT 'unknown', -- Patroni's word: running, streaming, starting, stopped …
    timeline          bigint,
    lag_bytes         bigint,
    version           text, -- of the server, in full
    applied_goal      bigint NOT NULL DEFAULT 0, -- cluster.goal_generation that is in force here
    applied_access    bigint NOT NULL DEFAULT 0, -- project_access.generation that is in force here
    applied_restart   bigint NOT NULL DEFAULT 0,
    pending_restart   boolean NOT NULL DEFAULT false,
    problem           text, -- a sentence from the agent
    reported_at       timestamptz,
    UNIQUE (cluster_id, ordinal)
);
CREATE INDEX cluster_member_of_host ON cluster_member (host_id);

-- Addresses that members can have: the host's pool. Free when member_id is NULL.
CREATE TABLE host_address (
    address         inet PRIMARY KEY CHECK (masklen(address) = CASE family(address) WHEN 4 THEN 32 ELSE 128 END),
    private_address inet, -- the same member as seen from private networks
    prefix          int NOT NULL, -- of the network that it is in
    host_id         reeve_id NOT NULL REFERENCES host (id),
    member_id       reeve_id UNIQUE REFERENCES cluster_member (id)
);
CREATE INDEX host_address_free ON host_address (host_id) WHERE member_id IS NULL;

-- Every certificate that is in force, by serial number; revoked ones stay until they would have expired.
CREATE TABLE certificate (
    serial     text PRIMARY KEY, -- hexadecimal
    authority  reeve_id NOT NULL REFERENCES authority (id),
    kind       text NOT NULL, -- HOST, MEMBER, SERVICE, USER
    owner      text NOT NULL, -- id of the host or member, name of the service, project/user
    created_at timestamptz NOT NULL DEFAULT now(),
    not_after  timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX certificate_of_owner ON certificate (kind, owner);

-- What a host is asked to do once: a switchover, an index, sample data. Part of the goal until its outcome is reported.
CREATE TABLE host_task (
    id          reeve_id PRIMARY KEY,
    org_id      reeve_id NOT NULL,
    host_id     reeve_id NOT NULL REFERENCES host (id),
    member_id   reeve_id NOT NULL REFERENCES cluster_member (id) ON DELETE CASCADE,
    kind        text NOT NULL, -- SWITCHOVER, FORGET_SCOPE, CREATE_INDEX, LOAD_SAMPLE
    parameters  jsonb NOT NULL DEFAULT '{}',
    outcome     text CHECK (outcome IN ('DONE', 'FAILED')), -- NULL: not yet
    detail      text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
CREATE INDEX host_task_open ON host_task (host_id) WHERE outcome IS NULL;

-- Who may connect is a matter of the project: one number that moves with every change of users, roles, access lists and
-- authorities. What a change of generation g asks for is in force when every member of the project has applied_access >= g.
CREATE TABLE project_access (
    project_id reeve_id PRIMARY KEY,
    org_id     reeve_id NOT NULL,
    generation bigint NOT NULL DEFAULT 1,
    hash       text NOT NULL UNIQUE CHECK (hash ~ '^[a-z0-9]{5,8}$') -- the project's label in host names
);
ALTER TABLE resource ADD COLUMN access_generation bigint; -- of project_access, when this resource last changed it
-- When temporary users and entries end. Dates are stored in UTC and whole seconds, so texts compare as the moments do.
CREATE INDEX resource_ends ON resource ((document ->> 'deleteAfterDate') COLLATE "C")
    WHERE kind IN ('databaseUser', 'accessListEntry') AND document ->> 'deleteAfterDate' IS NOT NULL;

-- What PowerDNS answers. Names are absolute, in small letters, without the dot at the end.
CREATE TABLE dns_record (
    name       text NOT NULL,
    type       text NOT NULL CHECK (type IN ('A', 'AAAA', 'SRV', 'TXT', 'CNAME')),
    content    text NOT NULL,
    ttl        int NOT NULL DEFAULT 5,
    org_id     reeve_id NOT NULL,
    cluster_id reeve_id NOT NULL REFERENCES cluster (id),
    PRIMARY KEY (name, type, content)
);
CREATE INDEX dns_record_of_cluster ON dns_record (cluster_id);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['provider', 'region', 'instance_size', 'authority', 'join_token', 'host',
                                   'host_goal_version', 'cluster', 'cluster_member', 'host_address', 'certificate', 'host_task', 'project_access', 'dns_record'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
    END LOOP;
    FOREACH v_table IN ARRAY ARRAY['authority', 'cluster', 'cluster_member', 'host_task', 'project_access', 'dns_record'] LOOP
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
    -- Where clusters can be is no secret between tenants.
    FOREACH v_table IN ARRAY ARRAY['provider', 'region', 'instance_size'] LOOP
        EXECUTE format('CREATE POLICY tenant_sees ON %I FOR SELECT TO reeve_tenant USING (true)', v_table);
    END LOOP;
END $$;

-- Certificates of users are the business of the organization whose project's authority signs them.
CREATE POLICY tenant ON certificate TO reeve_tenant
    USING (kind = 'USER' AND EXISTS (SELECT FROM authority a WHERE a.id = certificate.authority AND a.org_id = reeve_organization()));
