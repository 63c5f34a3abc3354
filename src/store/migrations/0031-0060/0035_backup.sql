-- Backups (docs/internals/backups.md): hosts that keep them, what is kept of which cluster, and what of it can be restored.

ALTER TABLE host       ADD COLUMN purpose text NOT NULL DEFAULT 'DATABASE' CHECK (purpose IN ('DATABASE', 'REPOSITORY'));
ALTER TABLE join_token ADD COLUMN purpose text NOT NULL DEFAULT 'DATABASE' CHECK (purpose IN ('DATABASE', 'REPOSITORY'));

-- S3-compatible stores of the operator, for seats that do not keep their data on the disk of their host.
CREATE TABLE object_store (
    name        text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    endpoint    text NOT NULL,
    bucket      text NOT NULL,
    region      text NOT NULL,
    path        text NOT NULL DEFAULT '/', -- in the bucket; below it each seat has a folder of its own
    uri_style   text NOT NULL DEFAULT 'host' CHECK (uri_style IN ('host', 'path')),
    authority   text, -- PEM of what signs the endpoint's certificate; NULL: what the host trusts
    keys        bytea NOT NULL, -- {"key", "secretKey"}, sealed, bound to object-store/<name>/keys
    object_lock boolean NOT NULL DEFAULT false, -- the bucket keeps what is locked, also from whoever has the keys
    created_at  timestamptz NOT NULL DEFAULT now()
);

-- One incarnation of a cluster's history. A restore in place begins the next one; what is frozen is only read.
CREATE TABLE backup_stanza (
    id            reeve_id PRIMARY KEY,
    org_id        reeve_id NOT NULL,
    project_id    reeve_id NOT NULL,
    cluster_id    reeve_id NOT NULL, -- no foreign key: backups may outlive their cluster
    cluster_name  text NOT NULL,
    incarnation   int NOT NULL CHECK (incarnation > 0),
    name          text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9]{6}-[1-9][0-9]*$'), -- <set name of the cluster>-<incarnation>
    major_version text NOT NULL,
    state         text NOT NULL DEFAULT 'OPEN' CHECK (state IN ('OPEN', 'FROZEN', 'REMOVING')),
    cipher        bytea NOT NULL, -- what its backups are encrypted with, sealed, bound to stanza/<id>/cipher
    created_at    timestamptz NOT NULL DEFAULT now(),
    frozen_at     timestamptz,
    UNIQUE (cluster_id, incarnation)
);
CREATE UNIQUE INDEX backup_stanza_open ON backup_stanza (cluster_id) WHERE state = 'OPEN';
CREATE INDEX backup_stanza_of_project ON backup_stanza (project_id);

-- Where a stanza is kept: a repository host that pulls its WAL and its backups. The row is its reservation.
CREATE TABLE stanza_seat (
    id           reeve_id PRIMARY KEY,
    org_id       reeve_id NOT NULL,
    stanza_id    reeve_id NOT NULL REFERENCES backup_stanza (id),
    host_id      reeve_id NOT NULL REFERENCES host (id),
    ordinal      int NOT NULL CHECK (ordinal IN (0, 1)), -- 0: the first; 1: at another site
    object_store text REFERENCES object_store (name), -- NULL: the host's disk
    reserved_gb  int NOT NULL CHECK (reserved_gb >= 0),
    desired      text NOT NULL DEFAULT 'RUNNING' CHECK (desired IN ('RUNNING', 'FROZEN', 'REMOVED')),
    -- What its agent reported last.
    unit         text NOT NULL DEFAULT 'unknown', -- active, inactive, failed, absent
    problem      text,
    received_lsn pg_lsn,
    timeline     bigint,
    lag_bytes    bigint,
    lag_ms       bigint,
    window_from  timestamptz, -- any moment between these two can be restored
    window_to    timestamptz,
    used_bytes   bigint,
    reported_at  timestamptz,
    UNIQUE (stanza_id, ordinal)
);
CREATE INDEX stanza_seat_of_host ON stanza_seat (host_id);

-- Pieces of WAL without a gap in them.
CREATE TABLE wal_span (
    seat_id       reeve_id NOT NULL REFERENCES stanza_seat (id) ON DELETE CASCADE,
    ordinal       int NOT NULL CHECK (ordinal >= 0),
    org_id        reeve_id NOT NULL,
    from_lsn      pg_lsn NOT NULL,
    to_lsn        pg_lsn NOT NULL,
    from_timeline bigint NOT NULL,
    to_timeline   bigint NOT NULL,
    from_at       timestamptz NOT NULL,
    to_at         timestamptz NOT NULL,
    ended_by      text, -- why it broke; NULL: it goes on
    PRIMARY KEY (seat_id, ordinal)
);

-- What a tenant sees: a moment that was kept.
CREATE TABLE snapshot (
    id              reeve_id PRIMARY KEY,
    org_id          reeve_id NOT NULL,
    project_id      reeve_id NOT NULL,
    cluster_id      reeve_id NOT NULL,
    stanza_id       reeve_id NOT NULL REFERENCES backup_stanza (id) ON DELETE CASCADE,
    origin          text NOT NULL CHECK (origin IN ('ON_DEMAND', 'SCHEDULED', 'FALLBACK')),
    frequency       text CHECK (frequency IN ('hourly', 'daily', 'weekly', 'monthly', 'yearly')), -- NULL: nothing that repeats
    policy_items    bytea[] NOT NULL DEFAULT '{}', -- of the schedule, those that were due
    description     text,
    state           text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'IN_PROGRESS', 'COMPLETED', 'FAILED')),
    problem         text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    finished_at     timestamptz,
    expires_at      timestamptz, -- NULL: it is kept until somebody deletes it
    protected_until timestamptz, -- nobody shortens or deletes it before
    hidden_at       timestamptz, -- deleted or expired: no longer shown; its copies go when nothing needs them
    server_version  text,
    size_bytes      bigint, -- of the database
    storage_bytes   bigint  -- that it takes in the repository
);
CREATE INDEX snapshot_of_cluster ON snapshot (project_id, cluster_id, created_at, id);
CREATE INDEX snapshot_of_stanza ON snapshot (stanza_id);
CREATE INDEX snapshot_ends ON snapshot (expires_at) WHERE hidden_at IS NULL AND expires_at IS NOT NULL;

-- A snapshot's backup at one seat.
CREATE TABLE snapshot_copy (
    snapshot_id reeve_id NOT NULL REFERENCES snapshot (id) ON DELETE CASCADE,
    seat_id     reeve_id NOT NULL REFERENCES stanza_seat (id) ON DELETE CASCADE,
    org_id      reeve_id NOT NULL,
    label       text, -- pgBackRest's name of it
    type        text CHECK (type IN ('FULL', 'INCR')),
    needs       text[] NOT NULL DEFAULT '{}', -- labels that it builds on
    timeline    bigint,
    start_lsn   pg_lsn,
    stop_lsn    pg_lsn,
    started_at  timestamptz,
    finished_at timestamptz,
    size_bytes  bigint,
    delta_bytes bigint,
    state       text NOT NULL CHECK (state IN ('IN_PROGRESS', 'COMPLETED', 'FAILED', 'REMOVING')),
    problem     text,
    PRIMARY KEY (snapshot_id, seat_id)
);
CREATE INDEX snapshot_copy_of_seat ON snapshot_copy (seat_id);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['object_store', 'backup_stanza', 'stanza_seat', 'wal_span', 'snapshot', 'snapshot_copy'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
    END LOOP;
    FOREACH v_table IN ARRAY ARRAY['backup_stanza', 'stanza_seat', 'wal_span', 'snapshot', 'snapshot_copy'] LOOP
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
END $$;
