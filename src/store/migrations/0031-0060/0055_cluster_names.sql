-- Port and host names of a cluster, decided once, when it is made: neither an upgrade nor another configuration changes the strings, certificates and DNS records of
-- clusters that are there (docs/internals/fleet.md#names). The defaults are what clusters had before, and what a node of the version before makes meanwhile.
ALTER TABLE cluster ADD COLUMN port int NOT NULL DEFAULT 27017 CHECK (port BETWEEN 1024 AND 65535),
                    ADD COLUMN pooler_port int NOT NULL DEFAULT 6432 CHECK (pooler_port BETWEEN 1024 AND 65535 AND pooler_port <> port),
                    -- What its names begin with; NULL: the names before, <set_name>-shard-00-<nn>. It ends with the set name, which is random and nobody else's: so
                    -- whatever a tenant calls a cluster, its names are not another's, nor one that means something to resolvers or authorities.
                    ADD COLUMN host_label text CHECK (length(host_label) <= 31 AND host_label ~ '^[a-z0-9]+(-[a-z0-9]+)*$'
                                                      AND (host_label = set_name OR right(host_label, 7) = '-' || set_name));

-- pooler_port(), cluster_pooled_strings(text[]) and cluster_driver_strings(text[]) have no callers from now on. A later migration drops them: until the routines are
-- in place, which is after this, documents of clusters are made with them.
