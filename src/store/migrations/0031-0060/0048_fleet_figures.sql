-- What operators see of the whole (docs/internals/fleet-figures.md): figures that one worker makes for all nodes, and which processes there are.

CREATE TABLE fleet_figures (
    is_only  boolean PRIMARY KEY DEFAULT true CHECK (is_only), -- there is one row
    taken_at timestamptz NOT NULL,
    took_ms  bigint NOT NULL, -- how long it took to find them out
    figures  jsonb NOT NULL   -- [{"metric", "label_1", "label_2", "label_3", "value"}]
);

-- A process of the control plane that says every half minute that it is there.
CREATE TABLE instance (
    kind         text NOT NULL CHECK (kind IN ('API', 'WORKER')),
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 200), -- <machine>/<what distinguishes it there>
    address      text,    -- where it answers at /metrics; NULL: nowhere
    is_encrypted boolean NOT NULL DEFAULT false, -- with TLS
    version      text NOT NULL,
    started_at   timestamptz NOT NULL DEFAULT now(),
    seen_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);

-- A cluster without a primary; a row is there while it has none. What is told about it is told once.
CREATE TABLE cluster_watch (
    cluster_id       reeve_id PRIMARY KEY REFERENCES cluster (id) ON DELETE CASCADE,
    no_primary_since timestamptz NOT NULL,
    is_told          boolean NOT NULL DEFAULT false
);

ALTER TABLE certificate ADD COLUMN told_at timestamptz; -- when it was told that it ends soon

DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['fleet_figures', 'instance', 'cluster_watch'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', v_table);
    END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON instance, cluster_watch TO reeve_tenant;
