-- Clusters that change their size by themselves (docs/internals/scaling.md): when each was last looked at and last changed, and what was told.

-- A row stays when it is switched off, so that whoever switches it on and off is not looked at more often.
CREATE TABLE cluster_scaling (
    cluster_id reeve_id PRIMARY KEY REFERENCES cluster (id) ON DELETE CASCADE,
    is_on      boolean NOT NULL,
    looked_at  timestamptz NOT NULL DEFAULT to_timestamp(0),
    changed_at timestamptz NOT NULL DEFAULT now(), -- what was measured earlier was measured of something else
    seen       text NOT NULL DEFAULT '',           -- a hash of what was asked for when it was last looked at
    found      jsonb NOT NULL DEFAULT '{}',        -- what was found, as the API shows it
    told       jsonb NOT NULL DEFAULT '{}'         -- what kept a change back and was told, and when that was last so
);
CREATE INDEX cluster_scaling_due ON cluster_scaling (looked_at) WHERE is_on;

ALTER TABLE cluster_scaling ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON cluster_scaling TO reeve_reader;
CREATE POLICY reader ON cluster_scaling FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON cluster_scaling TO reeve_tenant;
CREATE POLICY service ON cluster_scaling TO reeve_tenant USING (reeve_is_service());
-- It moves with its cluster's project.
CREATE POLICY tenant ON cluster_scaling TO reeve_tenant USING (cluster_id IN (SELECT id FROM cluster WHERE org_id = reeve_organization()));
