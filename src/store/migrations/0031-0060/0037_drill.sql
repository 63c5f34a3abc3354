-- Drills (docs/internals/drills.md): that backups can be restored is tried, and what came of it is kept as evidence.

CREATE TABLE drill (
    id             reeve_id PRIMARY KEY,
    org_id         reeve_id NOT NULL,
    project_id     reeve_id NOT NULL,
    cluster_id     reeve_id NOT NULL,
    stanza_id      reeve_id NOT NULL REFERENCES backup_stanza (id) ON DELETE CASCADE,
    seat_id        reeve_id REFERENCES stanza_seat (id) ON DELETE SET NULL, -- where it is run; NULL: nobody was asked yet
    origin         text NOT NULL CHECK (origin IN ('SCHEDULED', 'ON_DEMAND')),
    -- QUEUED: for its turn; WAITING: its host was told, and has not begun; NOT_RUN: it could not be run, so nothing is proven
    state          text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'WAITING', 'RUNNING', 'PASSED', 'FAILED', 'NOT_RUN')),
    problem        text,
    assertions     jsonb NOT NULL DEFAULT '[]', -- of the tenant, as they were when its host was told
    requested_at   timestamptz NOT NULL DEFAULT now(),
    given_at       timestamptz, -- when its host was told
    started_at     timestamptz,
    finished_at    timestamptz,
    told_at        timestamptz, -- when the event was written that says how it ended
    label          text,        -- pgBackRest's name of the backup that was restored
    recovery_point timestamptz, -- when the last transaction was committed that came back
    rto_ms         bigint,
    data_bytes     bigint,
    server_version text,
    phases         jsonb NOT NULL DEFAULT '[]',
    checks         jsonb NOT NULL DEFAULT '[]'
);
CREATE INDEX drill_of_cluster ON drill (project_id, cluster_id, requested_at, id);
CREATE INDEX drill_of_stanza ON drill (stanza_id);
CREATE INDEX drill_untold ON drill (finished_at) WHERE finished_at IS NOT NULL AND told_at IS NULL;
-- A stanza has one at a time, and so has a seat; hosts have one at a time by drill_give.sql.
CREATE UNIQUE INDEX drill_open ON drill (stanza_id) WHERE finished_at IS NULL;

ALTER TABLE backup_stanza ADD COLUMN drill_overdue boolean NOT NULL DEFAULT false; -- that nothing was proven for too long was told

ALTER TABLE drill ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON drill TO reeve_reader;
CREATE POLICY reader ON drill FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON drill TO reeve_tenant;
CREATE POLICY service ON drill TO reeve_tenant USING (reeve_is_service());
CREATE POLICY tenant ON drill TO reeve_tenant USING (org_id = reeve_organization());
