-- What operators ask of all clusters and regions at once (docs/internals/operator.md).

-- The last proof that a cluster's backups can be restored.
CREATE INDEX drill_proof ON drill (cluster_id, finished_at) WHERE state = 'PASSED';

-- What a region had and what of it was reserved, once a day: of this the forecast is made when it is full.
CREATE TABLE capacity_day (
    provider       text NOT NULL,
    region         text NOT NULL,
    day            date NOT NULL,
    taken_at       timestamptz NOT NULL,
    hosts          bigint NOT NULL,
    members        bigint NOT NULL,
    cpus           numeric NOT NULL,
    used_cpus      numeric NOT NULL,
    memory_mb      numeric NOT NULL,
    used_memory_mb numeric NOT NULL,
    disk_gb        numeric NOT NULL,
    used_disk_gb   numeric NOT NULL,
    PRIMARY KEY (provider, region, day)
);
ALTER TABLE capacity_day ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON capacity_day TO reeve_reader;
CREATE POLICY reader ON capacity_day FOR SELECT TO reeve_reader USING (true);
CREATE POLICY service ON capacity_day TO reeve_tenant USING (reeve_is_service());
