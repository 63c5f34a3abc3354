-- Rollouts of a new minor version over the fleet (docs/internals/updates.md): what an operator asked for, and how far each cluster is.

CREATE TABLE fleet_update (
    id             reeve_id PRIMARY KEY,
    state          text NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'STOPPED', 'DONE')),
    version        text,             -- only clusters whose hosts all have it; NULL: each cluster to what its hosts have
    at_a_time      int NOT NULL CHECK (at_a_time BETWEEN 1 AND 1000),
    patience_s     int NOT NULL CHECK (patience_s BETWEEN 1 AND 86400), -- without progress a cluster has failed
    ignores_window boolean NOT NULL DEFAULT false,
    with_pinned    boolean NOT NULL DEFAULT false,
    problem        text,             -- why it was stopped; NULL: an operator did
    job_id         reeve_id,
    created_by     text NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    finished_at    timestamptz
);
CREATE UNIQUE INDEX fleet_update_running ON fleet_update ((true)) WHERE state = 'RUNNING'; -- one at a time

CREATE TABLE fleet_update_cluster (
    update_id    reeve_id NOT NULL REFERENCES fleet_update (id) ON DELETE CASCADE,
    cluster_id   reeve_id NOT NULL, -- which may be gone
    org_id       reeve_id NOT NULL,
    project_id   reeve_id NOT NULL,
    name         text NOT NULL,     -- project/cluster, as it was
    position     int NOT NULL,
    is_canary    boolean NOT NULL DEFAULT false,
    state        text NOT NULL CHECK (state IN ('WAITING', 'QUEUED', 'RUNNING', 'DONE', 'FAILED', 'SKIPPED')),
    from_version text,
    to_version   text,
    members      int NOT NULL,
    members_done int NOT NULL DEFAULT 0,
    goal         bigint NOT NULL DEFAULT 0, -- of its restarts: each member is restarted once for it
    job_id       reeve_id,
    problem      text,
    started_at   timestamptz,
    moved_at     timestamptz,       -- last progress
    finished_at  timestamptz,
    PRIMARY KEY (update_id, cluster_id)
);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['fleet_update', 'fleet_update_cluster'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
    END LOOP;
END $$;
