-- Private endpoints (docs/internals/network.md, "Private endpoints"): hosts that relay, a service with an address there for each project and region, the endpoints that
-- may come to it, and the port of each member.
ALTER TABLE host       DROP CONSTRAINT host_purpose_check, ADD CONSTRAINT host_purpose_check CHECK (purpose IN ('DATABASE', 'REPOSITORY', 'RELAY'));
ALTER TABLE join_token DROP CONSTRAINT join_token_purpose_check, ADD CONSTRAINT join_token_purpose_check CHECK (purpose IN ('DATABASE', 'REPOSITORY', 'RELAY'));

CREATE TABLE private_endpoint_service (
    id             reeve_id PRIMARY KEY,
    org_id         reeve_id NOT NULL,
    project_id     reeve_id REFERENCES project (id),    -- NULL when it was deleted, and this is to go from its host
    provider       text NOT NULL,
    region         text NOT NULL,
    number         int NOT NULL,                        -- in its name
    remote_regions text[] NOT NULL DEFAULT '{}',        -- whose members it leads to as well
    host_id        reeve_id NOT NULL REFERENCES host (id),
    address        inet NOT NULL UNIQUE REFERENCES host_address (address),
    created_at     timestamptz NOT NULL DEFAULT now(),
    removed_at     timestamptz,                         -- it goes when its host says that it is gone there
    state          text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'SERVING', 'FAILED')),
    problem        text,
    UNIQUE (project_id, number),
    CONSTRAINT private_endpoint_service_in_region UNIQUE (project_id, provider, region),
    FOREIGN KEY (provider, region) REFERENCES region (provider, name)
);
CREATE INDEX private_endpoint_service_of_host ON private_endpoint_service (host_id);

CREATE TABLE private_endpoint (
    service_id        reeve_id NOT NULL REFERENCES private_endpoint_service (id) ON DELETE CASCADE,
    org_id            reeve_id NOT NULL,
    name              text NOT NULL,
    address           inet NOT NULL,
    access_generation bigint NOT NULL,                  -- from which on members let the relay in
    created_at        timestamptz NOT NULL DEFAULT now(),
    removed_at        timestamptz,                      -- it goes when its host says that it is let in no more
    is_open           boolean NOT NULL DEFAULT false,   -- its host says that it is let in
    PRIMARY KEY (service_id, name),
    CONSTRAINT private_endpoint_address UNIQUE (service_id, address)
);

-- A member that is replaced leaves its port to the next one of its number.
CREATE TABLE private_endpoint_port (
    service_id reeve_id NOT NULL REFERENCES private_endpoint_service (id) ON DELETE CASCADE,
    cluster_id reeve_id NOT NULL REFERENCES cluster (id) ON DELETE CASCADE,
    org_id     reeve_id NOT NULL,
    ordinal    int NOT NULL,
    port       int NOT NULL CHECK (port BETWEEN 1024 AND 32767), -- above are those of connections to members
    PRIMARY KEY (service_id, cluster_id, ordinal),
    UNIQUE (service_id, port)
);
CREATE INDEX private_endpoint_port_of_cluster ON private_endpoint_port (cluster_id);

ALTER TABLE private_endpoint_service ENABLE ROW LEVEL SECURITY;
ALTER TABLE private_endpoint ENABLE ROW LEVEL SECURITY;
ALTER TABLE private_endpoint_port ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON private_endpoint_service, private_endpoint, private_endpoint_port TO reeve_reader;
CREATE POLICY reader ON private_endpoint_service FOR SELECT TO reeve_reader USING (true);
CREATE POLICY reader ON private_endpoint FOR SELECT TO reeve_reader USING (true);
CREATE POLICY reader ON private_endpoint_port FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON private_endpoint_service, private_endpoint, private_endpoint_port TO reeve_tenant;
CREATE POLICY service ON private_endpoint_service TO reeve_tenant USING (reeve_is_service()); -- hosts and addresses with any stay
CREATE POLICY tenant ON private_endpoint_service TO reeve_tenant USING (org_id = reeve_organization());
CREATE POLICY tenant ON private_endpoint TO reeve_tenant USING (org_id = reeve_organization());
CREATE POLICY tenant ON private_endpoint_port TO reeve_tenant USING (org_id = reeve_organization());
