-- How jobs look, and what is done again and again.
-- was: 4c03de4d8ee34472c3f902b376d1b405692bc9d25edcfa2c8f3f83cbea32d3d9

-- What was finished long ago is removed by the service.
CREATE POLICY sweep_sees ON job FOR SELECT TO reeve_tenant
    USING (reeve_is_service() AND finished_at < now() - interval '30 days');
CREATE POLICY sweep ON job FOR DELETE TO reeve_tenant
    USING (reeve_is_service() AND finished_at < now() - interval '30 days');

-- What is done every so often, by one worker at a time. A row appears when its sweep first runs.
CREATE TABLE sweep (
    name         text PRIMARY KEY, -- a row of the table in job/kinds.c
    next_run_at  timestamptz NOT NULL DEFAULT now(),
    started_at   timestamptz,
    succeeded_at timestamptz, -- when it last ended without an error
    problem      text, -- of the last run
    lease_owner  text,
    lease_epoch  bigint NOT NULL DEFAULT 0,
    lease_until  timestamptz
);
ALTER TABLE sweep ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON sweep TO reeve_reader;
CREATE POLICY reader ON sweep FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE ON sweep TO reeve_tenant;
CREATE POLICY service ON sweep TO reeve_tenant USING (reeve_is_service());
