-- Restores (docs/internals/backups-control-plane.md#restores): what is brought back from where into which cluster, and how far it is.

CREATE TABLE restore_job (
    id                reeve_id PRIMARY KEY,
    org_id            reeve_id NOT NULL,
    -- Where it comes from. No foreign keys to clusters: backups may outlive theirs, and this the backups.
    project_id        reeve_id NOT NULL,
    cluster_id        reeve_id NOT NULL,
    cluster_name      text NOT NULL,
    stanza            text NOT NULL,
    seat_id           reeve_id REFERENCES stanza_seat (id) ON DELETE SET NULL,
    host_id           reeve_id REFERENCES host (id) ON DELETE SET NULL, -- of the seat
    label             text NOT NULL, -- pgBackRest's name of the backup that it begins with
    -- What is wanted.
    point             text NOT NULL CHECK (point IN ('SNAPSHOT', 'TIME', 'LSN', 'LATEST')),
    snapshot_id       reeve_id, -- of SNAPSHOT; its row may be gone before this one
    snapshot_at       timestamptz, -- when it was taken
    point_at          timestamptz CHECK ((point = 'TIME') = (point_at IS NOT NULL)),
    point_lsn         pg_lsn CHECK ((point = 'LSN') = (point_lsn IS NOT NULL)),
    point_timeline    bigint,
    is_last           boolean NOT NULL, -- the gate also serves what is not in the repository yet
    -- Where it goes.
    target_project_id reeve_id NOT NULL,
    target_id         reeve_id NOT NULL,
    target_name       text NOT NULL,
    -- What hosts are told.
    gate_port         int CHECK (gate_port BETWEEN 27100 AND 27199), -- NULL: there is no gate
    phase             text CHECK (phase IN ('STOP', 'BUILD', 'UNDO', 'CLEAN')), -- NULL: members are told nothing
    first_member      reeve_id, -- the one that is restored; the others follow it
    keeps_before      boolean NOT NULL DEFAULT true, -- false: all of its hosts were lost, and there is nothing to go back to
    -- How it goes.
    state             text NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'UNDOING', 'DONE', 'FAILED', 'CANCELLED')),
    problem           text,
    gate_state        text CHECK (gate_state IN ('OPEN', 'CLOSED', 'FAILED')), -- as the repository host said
    gate_problem      text,
    served_lsn        pg_lsn,
    served_at         timestamptz,
    reached_lsn       pg_lsn,
    reached_at        timestamptz,
    created_at        timestamptz NOT NULL DEFAULT now(),
    next_stanza       reeve_id, -- the history of the target that began with what was restored; NULL: none has yet
    restored_at       timestamptz, -- the target accepted writes again; from then on it is not cancelled any more
    cancelled_at      timestamptz, -- somebody asked for that
    finished_at       timestamptz
);
CREATE INDEX restore_job_of_cluster ON restore_job (project_id, cluster_id, created_at, id);
CREATE INDEX restore_job_of_target ON restore_job (target_id) WHERE phase IS NOT NULL OR finished_at IS NULL;
CREATE UNIQUE INDEX restore_job_gate ON restore_job (host_id, gate_port) WHERE gate_port IS NOT NULL;
CREATE UNIQUE INDEX restore_job_one ON restore_job (target_id) WHERE finished_at IS NULL;
CREATE INDEX restore_job_ended ON restore_job (finished_at) WHERE finished_at IS NOT NULL;

-- What the agents of the target's members said last.
CREATE TABLE restore_member (
    restore_id  reeve_id NOT NULL REFERENCES restore_job (id) ON DELETE CASCADE,
    member_id   reeve_id NOT NULL REFERENCES cluster_member (id) ON DELETE CASCADE,
    org_id      reeve_id NOT NULL,
    phase       text, -- that the state is about; NULL: it does not say
    state       text NOT NULL CHECK (state IN ('STOPPED', 'RESTORING', 'RESTORED', 'UNDONE', 'CLEAN', 'FAILED')),
    problem     text,
    done_bytes  bigint,
    total_bytes bigint,
    reached_lsn pg_lsn,
    reached_at  timestamptz,
    reported_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (restore_id, member_id)
);
CREATE INDEX restore_member_of_member ON restore_member (member_id);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['restore_job', 'restore_member'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
END $$;
