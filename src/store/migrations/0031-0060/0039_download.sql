-- Downloads of snapshots (docs/internals/downloads.md): a restore into a file, which the repository host makes and hands out for a while.

ALTER TABLE restore_job
    ALTER COLUMN target_project_id DROP NOT NULL,
    ALTER COLUMN target_id DROP NOT NULL,
    ALTER COLUMN target_name DROP NOT NULL,
    ADD COLUMN delivery text NOT NULL DEFAULT 'CLUSTER' CHECK (delivery IN ('CLUSTER', 'DOWNLOAD')),
    ADD CONSTRAINT restore_job_target CHECK ((delivery = 'CLUSTER') = (target_id IS NOT NULL));

CREATE TABLE download (
    restore_id  reeve_id PRIMARY KEY REFERENCES restore_job (id) ON DELETE CASCADE,
    org_id      reeve_id NOT NULL,
    seat_id     reeve_id REFERENCES stanza_seat (id) ON DELETE SET NULL,
    host_id     reeve_id REFERENCES host (id) ON DELETE SET NULL,
    port        int NOT NULL CHECK (port BETWEEN 27200 AND 27299), -- where API nodes fetch it
    reserved_gb int NOT NULL, -- of the host's disk, until it is released
    file_bytes  bigint,
    sha256      text,
    expires_at  timestamptz, -- NULL: there is no file yet
    used_at     timestamptz, -- when it was fetched first
    ended_at    timestamptz, -- nobody can fetch it any more, and its host removes it
    told_at     timestamptz, -- when the event was written that says whether there is a file
    released_at timestamptz  -- nothing is left of it
);
CREATE UNIQUE INDEX download_of_seat ON download (seat_id) WHERE released_at IS NULL;
CREATE UNIQUE INDEX download_port ON download (host_id, port) WHERE released_at IS NULL;
CREATE INDEX download_open ON download (restore_id) WHERE released_at IS NULL OR told_at IS NULL;

ALTER TABLE download ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON download TO reeve_reader;
CREATE POLICY reader ON download FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON download TO reeve_tenant;
CREATE POLICY service ON download TO reeve_tenant USING (reeve_is_service());
CREATE POLICY tenant ON download TO reeve_tenant USING (org_id = reeve_organization());
