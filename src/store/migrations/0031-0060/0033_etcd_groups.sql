-- What members of clusters agree in: groups of etcd servers. A cluster belongs to one, from its first transaction on; losing a group, or
-- somebody who broke into one, touches no other's clusters. Inside a group each cluster has a user that sees its own keys only.
-- was: cbfcf6f2f74f2c9ca19711f4caf831cb34a13dc4a26fb384548e9f9d2db25a92

CREATE TABLE etcd_group (
    name       text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    endpoints  text[] NOT NULL DEFAULT '{}', -- none: `etcd` of reeve.conf, which is what the group "default" is
    regions    text[] NOT NULL DEFAULT '{}', -- 'PROVIDER/REGION' whose clusters it takes; none: those of all
    capacity   int CHECK (capacity > 0),     -- how many clusters it takes; NULL: as many as come
    state      text NOT NULL DEFAULT 'ACTIVE' CHECK (state IN ('ACTIVE', 'DRAINING')), -- DRAINING takes no more
    -- OFF: whoever has a certificate of the fleet may do everything. PREPARED: it is to be ON. ON: nothing goes without a user.
    auth       text NOT NULL DEFAULT 'OFF' CHECK (auth IN ('OFF', 'PREPARED', 'ON')),
    early      boolean NOT NULL DEFAULT false, -- members may start with a user while it is PREPARED (docs/internals/etcd.md)
    root       bytea, -- its root user's password, sealed, bound to etcd/<name>/root
    waits_for  text,  -- a sentence: why it is not ON yet, or what went wrong last
    created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE etcd_group ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON etcd_group TO reeve_reader;
CREATE POLICY reader ON etcd_group FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON etcd_group TO reeve_tenant;
CREATE POLICY service ON etcd_group TO reeve_tenant USING (reeve_is_service());
INSERT INTO etcd_group (name) VALUES ('default');

ALTER TABLE cluster
    ADD COLUMN etcd_group text NOT NULL DEFAULT 'default' REFERENCES etcd_group (name),
    ADD COLUMN etcd_password bytea, -- of the cluster's user, sealed, bound to etcd/<cluster id>/password
    ADD COLUMN etcd_user text;      -- when the group has it; NULL: not yet
CREATE INDEX cluster_of_etcd_group ON cluster (etcd_group);
