-- Blocks of private addresses that belong to one project: its members get theirs from them, and nobody else's do.
-- was: 8e645b6e7e69560f9181ea56a6defc64941858de207c550aea89122275e846a6

CREATE TABLE network_container (
    id         reeve_id PRIMARY KEY,
    org_id     reeve_id NOT NULL,
    project_id reeve_id NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    provider   text NOT NULL,
    region     text NOT NULL,
    block      cidr NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT network_container_in_region UNIQUE (project_id, provider, region),
    -- Of all projects: there is one pool of addresses.
    CONSTRAINT network_container_apart EXCLUDE USING gist (block inet_ops WITH &&),
    FOREIGN KEY (provider, region) REFERENCES region (provider, name)
);
ALTER TABLE network_container ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON network_container TO reeve_reader;
CREATE POLICY reader ON network_container FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON network_container TO reeve_tenant;
CREATE POLICY tenant ON network_container TO reeve_tenant USING (org_id = reeve_organization());
