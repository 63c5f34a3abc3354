-- Measurements (docs/internals/monitor.md): hours and days, made from points that the stores of measurements keep for eight days.

CREATE TABLE monitor_hour (
    member_id reeve_id NOT NULL REFERENCES cluster_member (id) ON DELETE CASCADE,
    scope     text NOT NULL CHECK (scope IN ('p', 'd', 'k', 't')), -- process, database, disk, table
    name      text NOT NULL DEFAULT '', -- of the database, disk or table
    at        timestamptz NOT NULL, -- its beginning
    sums      double precision[] NOT NULL, -- by the number of the metric (wire/metric_table.h) plus 1: of points of a gauge, what a counter rose by
    counts    integer[] NOT NULL, -- how many points there were
    PRIMARY KEY (member_id, scope, name, at)
);
CREATE INDEX monitor_hour_at ON monitor_hour USING brin (at);

CREATE TABLE monitor_day (
    member_id reeve_id NOT NULL REFERENCES cluster_member (id) ON DELETE CASCADE,
    scope     text NOT NULL CHECK (scope IN ('p', 'd', 'k', 't')),
    name      text NOT NULL DEFAULT '',
    at        timestamptz NOT NULL,
    sums      double precision[] NOT NULL,
    counts    integer[] NOT NULL,
    PRIMARY KEY (member_id, scope, name, at)
);

-- Hours that have to be made again: points came late. An hour is made some minutes after it was marked, when the points are in the stores.
CREATE TABLE monitor_late (
    member_id reeve_id NOT NULL REFERENCES cluster_member (id) ON DELETE CASCADE,
    at        timestamptz NOT NULL,
    marked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (member_id, at)
);

-- How far hours are made: all before this one, and of this one those of members up to member_id.
CREATE TABLE monitor_cursor (
    is_only   boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    at        timestamptz NOT NULL,
    member_id reeve_id
);

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['monitor_hour', 'monitor_day', 'monitor_late', 'monitor_cursor'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
    END LOOP;
END $$;
