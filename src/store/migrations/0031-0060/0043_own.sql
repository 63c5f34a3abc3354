-- Backups of this database itself (docs/internals/own-database.md): what the repository hosts that keep it say. Nothing in it is needed to keep or to restore them.

CREATE TABLE own_backup (
    host_id          reeve_id PRIMARY KEY REFERENCES host (id) ON DELETE CASCADE,
    since            timestamptz NOT NULL DEFAULT now(), -- when the host spoke of it first
    reported_at      timestamptz NOT NULL DEFAULT now(),
    unit             text NOT NULL,
    problem          text,
    received_lsn     pg_lsn,
    timeline         bigint,
    lag_bytes        bigint,
    lag_ms           bigint,
    window_from      timestamptz,
    window_to        timestamptz,
    used_bytes       bigint,
    backups          integer, -- that are whole; NULL: the host did not say
    newest_backup_at timestamptz,
    drill            jsonb,       -- the last that ended, as its host says
    proven_at        timestamptz  -- when a second control plane was started from it last
);
ALTER TABLE own_backup ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON own_backup TO reeve_reader;
CREATE POLICY reader ON own_backup FOR SELECT TO reeve_reader USING (true);
GRANT SELECT ON own_backup TO reeve_tenant;
CREATE POLICY service ON own_backup TO reeve_tenant USING (reeve_is_service());
