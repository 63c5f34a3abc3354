-- Tags on lines of invoices: which tags a project or a cluster had in which hour (docs/internals/billing.md).

-- Whole hours, as prices: so what an hour's line says is known when the hour begins, however late it is billed.
CREATE TABLE usage_tags (
    owner_id    reeve_id NOT NULL, -- a project or a cluster, which the row outlives
    org_id      reeve_id NOT NULL,
    valid_from  timestamptz NOT NULL, -- a full hour
    replaced_at timestamptz CHECK (replaced_at > valid_from), -- NULL: in force
    tags        jsonb NOT NULL, -- [{"key": ..., "value": ...}]
    PRIMARY KEY (owner_id, valid_from)
);
CREATE INDEX usage_tags_replaced ON usage_tags (replaced_at) WHERE replaced_at IS NOT NULL;

-- A line is what was used under one set of tags. The key is short, whatever the tags are.
ALTER TABLE invoice_line
    ADD COLUMN tags jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN tags_key text NOT NULL DEFAULT '',
    DROP CONSTRAINT invoice_line_pkey,
    ADD CONSTRAINT invoice_line_pkey PRIMARY KEY (invoice_id, day, cluster_id, sku, microcents, tags_key);

-- What has tags already has them from the next hour on.
INSERT INTO usage_tags (owner_id, org_id, valid_from, tags)
SELECT o.id, o.org_id, date_trunc('hour', now(), 'UTC') + interval '1 hour', o.tags
FROM (SELECT p.id, p.org_id, p.settings -> 'tags' AS tags FROM project p
      UNION ALL
      SELECT r.id, r.org_id, r.document -> 'tags' FROM resource r WHERE r.kind IN ('cluster', 'flexCluster')) o
WHERE jsonb_typeof(o.tags) = 'array' AND o.tags <> '[]';

ALTER TABLE usage_tags ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON usage_tags TO reeve_reader, reeve_tenant;
GRANT DELETE ON usage_tags TO reeve_tenant;
CREATE POLICY reader ON usage_tags FOR SELECT TO reeve_reader USING (true);
CREATE POLICY tenant_sees ON usage_tags FOR SELECT TO reeve_tenant USING (org_id = reeve_organization());
CREATE POLICY sweep_sees ON usage_tags FOR SELECT TO reeve_tenant USING (replaced_at < now() - interval '100 days' AND reeve_is_service());
CREATE POLICY sweep ON usage_tags FOR DELETE TO reeve_tenant USING (replaced_at < now() - interval '100 days' AND reeve_is_service());
