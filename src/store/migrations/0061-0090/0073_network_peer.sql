-- Peerings: tunnels between the members of a project in a network container and their tenant's own network (docs/internals/peering.md).

CREATE TABLE network_peer (
    id               reeve_id PRIMARY KEY,
    org_id           reeve_id NOT NULL,
    project_id       reeve_id NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    container_id     reeve_id NOT NULL REFERENCES network_container (id) ON DELETE CASCADE,
    provider         text NOT NULL,
    region           text NOT NULL,
    -- Of every host's end of the tunnel. The same on all of them, and no other tunnel of the region has it.
    port             int NOT NULL CHECK (port BETWEEN 51820 AND 55915),
    public_key       text NOT NULL, -- of the tenant's gateway
    endpoint_address inet,          -- of it; NULL: the gateway begins
    endpoint_port    int CHECK (endpoint_port BETWEEN 1 AND 65535),
    blocks           cidr[] NOT NULL CHECK (cardinality(blocks) BETWEEN 1 AND 8), -- the tenant's
    desired          text NOT NULL DEFAULT 'RUNNING' CHECK (desired IN ('RUNNING', 'REMOVED')),
    created_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT network_peer_port UNIQUE (provider, region, port),
    CHECK ((endpoint_address IS NULL) = (endpoint_port IS NULL))
);
CREATE INDEX network_peer_of_project ON network_peer (project_id);
CREATE INDEX network_peer_of_container ON network_peer (container_id);

-- What hosts say about their ends. Each has a key of its own, of which only the public half is known here.
CREATE TABLE network_peer_gateway (
    peer_id      reeve_id NOT NULL REFERENCES network_peer (id) ON DELETE CASCADE,
    host_id      reeve_id NOT NULL REFERENCES host (id) ON DELETE CASCADE,
    state        text NOT NULL,
    public_key   text,
    problem      text,
    handshake_at timestamptz,
    PRIMARY KEY (peer_id, host_id)
);
CREATE INDEX network_peer_gateway_of_host ON network_peer_gateway (host_id);

ALTER TABLE network_peer ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON network_peer TO reeve_reader;
CREATE POLICY reader ON network_peer FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON network_peer TO reeve_tenant;
CREATE POLICY tenant ON network_peer TO reeve_tenant USING (org_id = reeve_organization());

-- Written only by host_report_peerings().
ALTER TABLE network_peer_gateway ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON network_peer_gateway TO reeve_reader;
CREATE POLICY reader ON network_peer_gateway FOR SELECT TO reeve_reader USING (true);
