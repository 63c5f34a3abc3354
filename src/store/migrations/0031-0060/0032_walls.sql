-- Certificates that say what they are for (docs/internals/fleet.md): every cluster has an authority of its own, which signs what its
-- members show each other. A cluster from before moves over in three phases, so that no member ever refuses another:
--   PREPARE  members trust the cluster's authority beside the fleet's, and show the fleet's certificates
--   CHANGE   they trust both, and show the cluster's
--   CLOSED   they trust and show the cluster's only
-- The next phase begins when every member has reached the last. A cluster whose agents all know this begins with CLOSED.
-- was: 88659fcd7bd8b076b3a078665adf7e21e4bcf6b9d42449352fbb84d24a77b543

ALTER TABLE authority ADD COLUMN cluster_id reeve_id;
CREATE UNIQUE INDEX authority_of_cluster ON authority (cluster_id) WHERE purpose = 'CLUSTER';

-- Not a column of cluster: jobs lock that row before members, reports the other way round. So there is no foreign key, either.
CREATE TABLE cluster_walls (
    cluster_id reeve_id PRIMARY KEY,
    phase      text NOT NULL CHECK (phase IN ('PREPARE', 'CHANGE', 'CLOSED'))
);
ALTER TABLE cluster_walls ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON cluster_walls TO reeve_reader;
CREATE POLICY reader ON cluster_walls FOR SELECT TO reeve_reader USING (true);
