-- Groups of a project's directory, whose people are users of its databases (docs/internals/access.md#groups-of-a-directory). A trigger on `resource` makes the rows.

CREATE TABLE directory_sync (
    project_id  reeve_id PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE,
    org_id      reeve_id NOT NULL, -- the project's: of an organization one is asked at a time
    next_try_at timestamptz NOT NULL DEFAULT now(), -- 'infinity': groups are switched off. The row stays, so that an answer from before does not count when they are on again
    lease_epoch bigint NOT NULL DEFAULT 0, -- a holder of an older one cannot write any more
    lease_until timestamptz,
    changes     bigint NOT NULL DEFAULT 0, -- of the settings, the groups and the names: an answer to what was asked before them does not count
    is_proven   boolean NOT NULL DEFAULT false, -- it answered quickly the last time: it need not wait behind those that may not
    slow_until  timestamptz NOT NULL DEFAULT '-infinity', -- before that, no quick answer proves anything
    rest_until  timestamptz NOT NULL DEFAULT '-infinity', -- it was slow: before that it is not asked, whatever changes
    failures    bigint NOT NULL DEFAULT 0 -- since all of it worked
);
CREATE INDEX directory_sync_due ON directory_sync (is_proven, next_try_at);
CREATE INDEX directory_sync_leased ON directory_sync (org_id) WHERE lease_until IS NOT NULL;

-- Who is in a group, by the id of its database user.
CREATE TABLE directory_group (
    group_id    reeve_id PRIMARY KEY,
    project_id  reeve_id NOT NULL REFERENCES directory_sync (project_id) ON DELETE CASCADE,
    members     text[] NOT NULL DEFAULT '{}',
    skipped     jsonb NOT NULL DEFAULT '[]', -- [{"name", "reason"}]: people of it who cannot be users
    empty_since timestamptz -- nobody is in it, and the members are those of before
);
CREATE INDEX directory_group_of_project ON directory_group (project_id);

DO $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['directory_sync', 'directory_group'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', one);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', one);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', one);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', one);
    END LOOP;
END $$;
