-- Exports (docs/internals/exports.md): snapshots that are written to buckets of their tenants.

CREATE TABLE export_job (
    id           reeve_id PRIMARY KEY,
    org_id       reeve_id NOT NULL,
    project_id   reeve_id NOT NULL,
    cluster_id   reeve_id NOT NULL, -- no foreign key: backups may outlive their cluster
    stanza_id    reeve_id REFERENCES backup_stanza (id) ON DELETE SET NULL, -- NULL: these backups are gone
    seat_id      reeve_id REFERENCES stanza_seat (id) ON DELETE SET NULL, -- where it is run; NULL: nobody was asked yet
    snapshot_id  reeve_id NOT NULL, -- its row may be gone before this one
    snapshot_at  timestamptz NOT NULL, -- when it was taken
    bucket_id    reeve_id NOT NULL, -- a resource of kind backupExportBucket; it may be gone before this one
    prefix       text NOT NULL, -- where in the bucket
    custom_data  jsonb NOT NULL DEFAULT '[]', -- labels of the tenant, written beside it
    -- QUEUED: for its turn; WAITING: its host was told, and has not begun; CANCELLED: the backups went before it was done
    state        text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'WAITING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
    code         text, -- why it failed, in a word
    problem      text, -- the same in a sentence
    tables_done  bigint,
    tables_total bigint,
    created_at   timestamptz NOT NULL DEFAULT now(),
    given_at     timestamptz, -- when its host was told
    started_at   timestamptz,
    finished_at  timestamptz,
    told_at      timestamptz -- when the event was written that says how it ended
);
CREATE INDEX export_job_of_cluster ON export_job (project_id, cluster_id, created_at, id);
CREATE INDEX export_job_of_bucket ON export_job (bucket_id) WHERE finished_at IS NULL;
CREATE INDEX export_job_of_seat ON export_job (seat_id);
CREATE INDEX export_job_of_snapshot ON export_job (snapshot_id) WHERE finished_at IS NULL;
CREATE INDEX export_job_untold ON export_job (finished_at) WHERE finished_at IS NOT NULL AND told_at IS NULL;
CREATE INDEX export_job_ended ON export_job (finished_at) WHERE finished_at IS NOT NULL;
-- A history has one at a time; hosts have one at a time by export_give.sql.
CREATE UNIQUE INDEX export_job_open ON export_job (stanza_id) WHERE finished_at IS NULL;

ALTER TABLE export_job ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON export_job TO reeve_reader;
CREATE POLICY reader ON export_job FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON export_job TO reeve_tenant;
CREATE POLICY service ON export_job TO reeve_tenant USING (reeve_is_service());
CREATE POLICY tenant ON export_job TO reeve_tenant USING (org_id = reeve_organization());
