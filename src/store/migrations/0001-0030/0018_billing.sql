-- What is used, what it costs, and whose changes are refused because nobody pays. docs/internals/billing.md has the rules.
-- was: 2d214337b0c360f362cf4c0e47e26cba1087c6f7114a49a188528a4e4921ad47

-- Set and cleared by the operator: reads and deletions go on, other changes are refused.
ALTER TABLE organization ADD COLUMN locked_at timestamptz, ADD COLUMN lock_reason text;

-- ---- Prices: the operator's price file, as workers read it ----
CREATE TABLE sku (
    id          text PRIMARY KEY CHECK (id ~ '^[A-Z][A-Z0-9_]{0,63}$'),
    description text NOT NULL,
    offered     boolean NOT NULL -- stands in the file now
);
-- A price is in force from a full hour that was still to come when it was set. So what an hour costs is known when it begins,
-- however late it is billed.
CREATE TABLE price (
    sku        text NOT NULL REFERENCES sku (id),
    valid_from timestamptz NOT NULL CHECK (extract(epoch FROM valid_from) % 3600 = 0),
    microcents bigint NOT NULL CHECK (microcents >= 0), -- of one unit for one hour
    PRIMARY KEY (sku, valid_from)
);

-- ---- Usage ----
-- From when to when a member had a size, and a disk. Kept by a trigger, in the transaction that changes the member: there is no
-- moment at which the two could differ. What was billed is a column of the same row, and moves in the transaction that adds it to
-- an invoice. Rows outlive what they are about.
CREATE TABLE usage_span (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id       reeve_id NOT NULL,
    project_id   reeve_id NOT NULL,
    project_name text NOT NULL,
    cluster_id   reeve_id NOT NULL,
    cluster_name text NOT NULL,
    member_id    reeve_id NOT NULL,
    unit         text NOT NULL CHECK (unit IN ('MEMBER', 'DISK')),
    sku          text NOT NULL, -- no reference: what has no price is counted, too
    amount       bigint NOT NULL CHECK (amount > 0), -- units at a time: one member, so many GB
    began_at     timestamptz NOT NULL,
    ended_at     timestamptz, -- NULL: goes on
    billed_until timestamptz NOT NULL,
    CHECK (ended_at > began_at),
    CHECK (billed_until BETWEEN began_at AND coalesce(ended_at, 'infinity'))
);
CREATE UNIQUE INDEX usage_span_goes_on ON usage_span (member_id, unit) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX usage_span_begins_once ON usage_span (member_id, unit, began_at);
CREATE INDEX usage_span_of_organization ON usage_span (org_id, id) WHERE ended_at IS NULL OR billed_until < ended_at;
CREATE INDEX usage_span_unbilled ON usage_span (billed_until) WHERE ended_at IS NULL OR billed_until < ended_at;

-- Members that were there before count from now on.
INSERT INTO usage_span (org_id, project_id, project_name, cluster_id, cluster_name, member_id, unit, sku, amount, began_at, billed_until)
SELECT m.org_id, c.project_id, coalesce(p.name, ''), c.id, c.name, m.id, used.unit, used.sku, used.amount, date_trunc('second', now()), date_trunc('second', now())
FROM cluster_member m
    JOIN cluster c ON c.id = m.cluster_id
    LEFT JOIN project p ON p.id = c.project_id
    CROSS JOIN LATERAL (VALUES ('DISK', 'DISK_GB', m.disk_gb), ('MEMBER', 'MEMBER_' || m.size, 1)) AS used (unit, sku, amount)
WHERE used.unit = 'DISK' OR m.desired <> 'STOPPED';

-- ---- Invoices ----
-- One a month, of which one at most is open. It has no reference to its organization, which it outlives.
CREATE TABLE invoice (
    id             reeve_id PRIMARY KEY,
    org_id         reeve_id NOT NULL,
    began_at       timestamptz NOT NULL,
    ends_at        timestamptz NOT NULL,
    status         text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'CLOSED', 'FREE')), -- FREE: closed, nothing to pay
    subtotal_cents bigint, -- once it is closed
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    closed_at      timestamptz,
    revision       bigint NOT NULL DEFAULT nextval('revision'),
    UNIQUE (org_id, began_at),
    CHECK ((status = 'PENDING') = (closed_at IS NULL) AND (status = 'PENDING') = (subtotal_cents IS NULL))
);
CREATE UNIQUE INDEX invoice_pending ON invoice (org_id) WHERE status = 'PENDING';

-- What one cluster used of one item on one day. Hours are added as they are closed.
CREATE TABLE invoice_line (
    invoice_id   reeve_id NOT NULL REFERENCES invoice (id),
    org_id       reeve_id NOT NULL,
    project_id   reeve_id NOT NULL,
    project_name text NOT NULL,
    cluster_id   reeve_id NOT NULL,
    cluster_name text NOT NULL,
    sku          text NOT NULL,
    day          date NOT NULL,
    microcents   bigint NOT NULL, -- the price that was in force
    seconds      bigint NOT NULL CHECK (seconds > 0), -- times units
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (invoice_id, day, cluster_id, sku, microcents)
);
CREATE INDEX invoice_line_by_day ON invoice_line (org_id, day);

-- ---- Reports ----
CREATE TABLE cost_report (
    token      text PRIMARY KEY CHECK (length(token) = 64),
    org_id     reeve_id NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
    content    text NOT NULL -- CSV
);
CREATE INDEX cost_report_by_age ON cost_report (expires_at);

-- ---- Who may see and change what: invoices, lines and usage are changed by functions only ----
DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['sku', 'price', 'usage_span', 'invoice', 'invoice_line', 'cost_report'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader, reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
    END LOOP;
    FOREACH v_table IN ARRAY ARRAY['usage_span', 'invoice', 'invoice_line', 'cost_report'] LOOP
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
    FOREACH v_table IN ARRAY ARRAY['sku', 'price'] LOOP
        EXECUTE format('CREATE POLICY tenant_sees ON %I FOR SELECT TO reeve_tenant USING (true)', v_table);
    END LOOP;
END $$;
GRANT INSERT, DELETE ON cost_report TO reeve_tenant;
CREATE POLICY sweep_sees ON cost_report FOR SELECT TO reeve_tenant USING (expires_at < now() AND reeve_is_service());
CREATE POLICY sweep ON cost_report FOR DELETE TO reeve_tenant USING (expires_at < now() AND reeve_is_service());
