-- What is used, what it costs, and whose changes are refused because nobody pays. docs/internals/billing.md has the rules.

-- Set and cleared by the operator: reads and deletions go on, other changes are refused.
ALTER TABLE organization ADD COLUMN locked_at timestamptz, ADD COLUMN lock_reason text;

-- Usage is counted in whole seconds. A function of its own: tests put their own clock in its place.
CREATE FUNCTION billing_now() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS $$ SELECT date_trunc('second', clock_timestamp()) $$;
CREATE FUNCTION billing_hour(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    AS $$ SELECT date_trunc('hour', p_moment, 'UTC') $$;
CREATE FUNCTION billing_month(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    AS $$ SELECT date_trunc('month', p_moment, 'UTC') $$;

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

-- Ends the span that goes on and begins another one in the same second, when there is a difference. Time that was billed
-- is over, whatever the clock says: so nothing is counted twice when it goes back, or when a transaction takes long.
CREATE FUNCTION usage_becomes(p_member cluster_member, p_unit text, p_sku text, p_amount bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_open usage_span;
    v_now timestamptz;
BEGIN
    SELECT * INTO v_open FROM usage_span s WHERE s.member_id = p_member.id AND s.unit = p_unit AND s.ended_at IS NULL FOR UPDATE;
    IF (v_open.org_id, v_open.sku, v_open.amount) IS NOT DISTINCT FROM
       (CASE WHEN p_sku IS NOT NULL THEN p_member.org_id END, p_sku, CASE WHEN p_sku IS NOT NULL THEN p_amount END) THEN
        RETURN;
    END IF;
    v_now := greatest(billing_now(), v_open.billed_until,
                      (SELECT max(s.ended_at) FROM usage_span s WHERE s.member_id = p_member.id AND s.unit = p_unit));
    IF v_open.began_at = v_now THEN
        DELETE FROM usage_span s WHERE s.id = v_open.id;
    ELSIF v_open.id IS NOT NULL THEN
        UPDATE usage_span s SET ended_at = v_now WHERE s.id = v_open.id;
    END IF;
    IF p_sku IS NOT NULL THEN
        INSERT INTO usage_span (org_id, project_id, project_name, cluster_id, cluster_name, member_id, unit, sku, amount, began_at, billed_until)
            SELECT p_member.org_id, c.project_id, coalesce(p.name, ''), c.id, c.name, p_member.id, p_unit, p_sku, p_amount, v_now, v_now
            FROM cluster c LEFT JOIN project p ON p.id = c.project_id WHERE c.id = p_member.cluster_id;
    END IF;
END $$;
REVOKE ALL ON FUNCTION usage_becomes(cluster_member, text, text, bigint) FROM PUBLIC;

-- A member counts from when its place is reserved until that is given back; its size not while it is stopped. One that is to go
-- counts as before until it is gone.
CREATE FUNCTION usage_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM usage_becomes(OLD, 'MEMBER', NULL, NULL), usage_becomes(OLD, 'DISK', NULL, NULL);
        RETURN NULL;
    END IF;
    PERFORM usage_becomes(NEW, 'DISK', 'DISK_GB', NEW.disk_gb);
    IF NEW.desired = 'STOPPED' OR (NEW.desired = 'REMOVED' AND NOT EXISTS (
           SELECT FROM usage_span s WHERE s.member_id = NEW.id AND s.unit = 'MEMBER' AND s.ended_at IS NULL)) THEN
        PERFORM usage_becomes(NEW, 'MEMBER', NULL, NULL);
    ELSE
        PERFORM usage_becomes(NEW, 'MEMBER', 'MEMBER_' || NEW.size, 1);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER usage_follows AFTER INSERT OR DELETE OR UPDATE OF desired, size, disk_gb, org_id ON cluster_member
    FOR EACH ROW EXECUTE FUNCTION usage_follows();

-- Members that were there before count from now on.
SELECT usage_becomes(m, 'DISK', 'DISK_GB', m.disk_gb),
       CASE WHEN m.desired <> 'STOPPED' THEN usage_becomes(m, 'MEMBER', 'MEMBER_' || m.size, 1) END
FROM cluster_member m;

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

-- A closed invoice never changes, whoever tries.
CREATE FUNCTION invoice_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' OR OLD.status <> 'PENDING' THEN
        RAISE EXCEPTION 'a closed invoice cannot be changed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER invoice_is_final BEFORE UPDATE OR DELETE ON invoice FOR EACH ROW EXECUTE FUNCTION invoice_is_final();
CREATE TRIGGER invoice_stays BEFORE TRUNCATE ON invoice FOR EACH STATEMENT EXECUTE FUNCTION invoice_is_final();

CREATE FUNCTION invoice_line_is_final() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    -- The row is locked: an invoice that is being closed is waited for, and has then been closed.
    IF TG_OP = 'TRUNCATE'
       OR (TG_OP <> 'INSERT' AND (SELECT i.status FROM invoice i WHERE i.id = OLD.invoice_id FOR SHARE) <> 'PENDING')
       OR (TG_OP <> 'DELETE' AND (SELECT i.status FROM invoice i WHERE i.id = NEW.invoice_id FOR SHARE) <> 'PENDING') THEN
        RAISE EXCEPTION 'a closed invoice cannot be changed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER invoice_line_is_final BEFORE INSERT OR UPDATE OR DELETE ON invoice_line
    FOR EACH ROW EXECUTE FUNCTION invoice_line_is_final();
CREATE TRIGGER invoice_line_stays BEFORE TRUNCATE ON invoice_line FOR EACH STATEMENT EXECUTE FUNCTION invoice_line_is_final();

-- Seconds times micro-cents an hour, as whole cents.
CREATE FUNCTION billing_cents(p_product numeric) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT round(p_product / 3600 / 1000000)::bigint $$;

-- Lines with their cents. The sum is exact and rounded once; a line has what it adds to the rounded sum of those before it, so that
-- lines add up to the whole, and a day that is over does not change any more.
CREATE VIEW invoice_line_priced WITH (security_invoker = true) AS
SELECT l.*, billing_cents(sum(l.seconds::numeric * l.microcents) OVER w)
            - billing_cents(sum(l.seconds::numeric * l.microcents) OVER w - l.seconds::numeric * l.microcents) AS cents,
       CASE WHEN l.sku = 'DISK_GB' THEN 'GB hours' ELSE 'member hours' END AS unit,
       CASE WHEN l.sku = 'DISK_GB' THEN 'Storage' ELSE 'Compute' END AS service
FROM invoice_line l
WINDOW w AS (PARTITION BY l.invoice_id ORDER BY l.day, l.cluster_id, l.sku, l.microcents ROWS UNBOUNDED PRECEDING);

-- One step of billing for one organization: opens the invoice of a month, adds closed hours to it, or closes it. What came of it
-- is BILLED (there may be more), CLOSED, or NOTHING. A step is one transaction, and any number of workers may try any of them at
-- any time: the row of the invoice makes them take turns, and each span knows how far it was billed.
-- Locks are taken in the order invoice, spans; the trigger on members takes spans only.
CREATE FUNCTION billing_step(p_org bytea, p_cell bytea, p_now timestamptz, p_most int, OUT outcome text, OUT invoice_id bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    -- Transactions that began before the end of a month have ended by then; what comes later still is on the next invoice.
    c_grace CONSTANT interval := interval '1 hour';
    v_invoice invoice;
    v_span usage_span;
    v_from timestamptz;
    v_until timestamptz;
    v_to timestamptz;
BEGIN
    IF NOT reeve_acts_for(p_org) THEN
        RAISE EXCEPTION 'one organization cannot bill another' USING ERRCODE = 'insufficient_privilege';
    END IF;
    outcome := 'NOTHING';
    SELECT * INTO v_invoice FROM invoice i WHERE i.org_id = p_org AND i.status = 'PENDING' FOR UPDATE;
    IF NOT FOUND THEN
        SELECT min(s.billed_until) INTO v_from FROM usage_span s
            WHERE s.org_id = p_org AND (s.ended_at IS NULL OR s.billed_until < s.ended_at);
        IF v_from IS NULL OR v_from > p_now THEN
            RETURN;
        END IF;
        v_from := greatest(billing_month(v_from), (SELECT max(i.ends_at) FROM invoice i WHERE i.org_id = p_org));
        IF v_from > p_now THEN
            RETURN;
        END IF;
        INSERT INTO invoice (id, org_id, began_at, ends_at, created_at, updated_at)
            VALUES (reeve_new_id(p_cell), p_org, v_from, (v_from AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC', p_now, p_now)
            RETURNING * INTO v_invoice;
        outcome := 'BILLED';
    END IF;
    invoice_id := v_invoice.id;
    v_until := least(billing_hour(p_now), v_invoice.ends_at);
    FOR v_span IN SELECT * FROM usage_span s
                  WHERE s.org_id = p_org AND (s.ended_at IS NULL OR s.billed_until < s.ended_at) AND s.billed_until < v_until
                  ORDER BY s.id LIMIT p_most FOR UPDATE LOOP
        v_to := least(v_span.ended_at, v_until);
        INSERT INTO invoice_line AS l (invoice_id, org_id, project_id, project_name, cluster_id, cluster_name, sku, day, microcents, seconds, created_at)
            SELECT v_invoice.id, p_org, v_span.project_id, v_span.project_name, v_span.cluster_id, v_span.cluster_name, v_span.sku,
                   (piece.hour AT TIME ZONE 'UTC')::date, piece.price,
                   sum(extract(epoch FROM least(piece.hour + interval '1 hour', v_to) - greatest(piece.hour, v_span.billed_until)))::bigint
                   * v_span.amount, p_now
            FROM (SELECT h AS hour, coalesce((SELECT p.microcents FROM price p WHERE p.sku = v_span.sku AND p.valid_from <= h
                                              ORDER BY p.valid_from DESC LIMIT 1), 0) AS price
                  FROM generate_series(billing_hour(v_span.billed_until), v_to - interval '1 second', interval '1 hour') h) piece
            GROUP BY 8, 9
        ON CONFLICT ON CONSTRAINT invoice_line_pkey DO UPDATE SET seconds = l.seconds + excluded.seconds,
            project_name = excluded.project_name;
        UPDATE usage_span s SET billed_until = v_to WHERE s.id = v_span.id;
        outcome := 'BILLED';
    END LOOP;
    IF outcome = 'BILLED' THEN
        UPDATE invoice i SET updated_at = p_now, revision = nextval('revision') WHERE i.id = v_invoice.id;
    ELSIF p_now >= v_invoice.ends_at + c_grace THEN
        UPDATE invoice i SET status = CASE WHEN total.cents = 0 THEN 'FREE' ELSE 'CLOSED' END, subtotal_cents = total.cents,
               closed_at = p_now, updated_at = p_now, revision = nextval('revision')
            FROM (SELECT billing_cents(coalesce(sum(l.seconds::numeric * l.microcents), 0)) AS cents
                  FROM invoice_line l WHERE l.invoice_id = v_invoice.id) total
            WHERE i.id = v_invoice.id;
        outcome := 'CLOSED';
    END IF;
END $$;

-- Makes the price list what the file says; how many items were added, changed or taken away.
CREATE FUNCTION price_list_set(p_items jsonb, p_now timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_next timestamptz := billing_hour(p_now) + interval '1 hour';
    v_texts bigint;
    v_prices bigint;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'prices are set by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    LOCK TABLE sku IN SHARE ROW EXCLUSIVE MODE;
    WITH said AS (SELECT s.* FROM jsonb_to_recordset(p_items) AS s(id text, description text)),
    added AS (
        INSERT INTO sku AS k (id, description, offered) SELECT s.id, s.description, true FROM said s
        ON CONFLICT (id) DO UPDATE SET description = excluded.description, offered = true
        WHERE (k.description, k.offered) IS DISTINCT FROM (excluded.description, true)
        RETURNING id),
    gone AS (
        UPDATE sku k SET offered = false WHERE k.offered AND NOT EXISTS (SELECT FROM said s WHERE s.id = k.id) RETURNING id)
    SELECT (SELECT count(*) FROM added) + (SELECT count(*) FROM gone) INTO v_texts;
    WITH wanted AS (
        SELECT k.id, coalesce(s.microcents, 0) AS microcents
        FROM sku k LEFT JOIN jsonb_to_recordset(p_items) AS s(id text, microcents bigint) ON s.id = k.id),
    changed AS (
        INSERT INTO price AS p (sku, valid_from, microcents)
        SELECT w.id, v_next, w.microcents FROM wanted w
        WHERE w.microcents IS DISTINCT FROM
              (SELECT l.microcents FROM price l WHERE l.sku = w.id ORDER BY l.valid_from DESC LIMIT 1)
        ON CONFLICT (sku, valid_from) DO UPDATE SET microcents = excluded.microcents
        RETURNING sku)
    SELECT count(*) INTO v_prices FROM changed;
    RETURN v_texts + v_prices;
END $$;

-- ---- Reports ----
CREATE TABLE cost_report (
    token      text PRIMARY KEY CHECK (length(token) = 64),
    org_id     reeve_id NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
    content    text NOT NULL -- CSV
);
CREATE INDEX cost_report_by_age ON cost_report (expires_at);

-- A field of a CSV file (RFC 4180).
CREATE FUNCTION csv_field(p_text text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE WHEN p_text ~ '[",\r\n]' THEN '"' || replace(p_text, '"', '""') || '"' ELSE p_text END $$;

-- ---- How they look ----
-- A number as few digits as it needs.
CREATE FUNCTION billing_number(p_number numeric) RETURNS numeric LANGUAGE sql IMMUTABLE
    AS $$ SELECT trim_scale(round(p_number, 8)) $$;

CREATE FUNCTION invoice_cents(i invoice) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(i.subtotal_cents, (SELECT billing_cents(coalesce(sum(l.seconds::numeric * l.microcents), 0))
                                       FROM invoice_line l WHERE l.invoice_id = i.id))
$$;

-- In short form. Payments are made elsewhere: nothing is paid, credited or taxed here.
CREATE FUNCTION invoice_json(i invoice) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'id', encode(i.id, 'hex'),
        'orgId', encode(i.org_id, 'hex'),
        'statusName', i.status,
        'startDate', api_date(i.began_at),
        'endDate', api_date(i.ends_at),
        'created', api_date(i.created_at),
        'updated', api_date(i.updated_at),
        'subtotalCents', total.cents,
        'amountBilledCents', total.cents,
        'amountPaidCents', 0,
        'creditsCents', 0,
        'salesTaxCents', 0,
        'startingBalanceCents', 0,
        'linkedInvoices', '[]'::jsonb)
    FROM (SELECT invoice_cents(i) AS cents) total
$$;

CREATE FUNCTION invoice_line_json(l invoice_line_priced) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'clusterName', l.cluster_name,
        'groupId', encode(l.project_id, 'hex'),
        'groupName', l.project_name,
        'sku', l.sku,
        'startDate', to_char(l.day, 'YYYY-MM-DD"T00:00:00Z"'),
        'endDate', to_char(l.day + 1, 'YYYY-MM-DD"T00:00:00Z"'),
        'created', api_date(l.created_at),
        'unit', l.unit,
        'quantity', billing_number(l.seconds / 3600.0),
        'unitPriceDollars', billing_number(l.microcents / 100000000.0),
        'totalPriceCents', l.cents)
$$;

CREATE FUNCTION invoice_whole_json(i invoice) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT invoice_json(i) || jsonb_build_object('payments', '[]'::jsonb, 'refunds', '[]'::jsonb, 'lineItems',
        (SELECT coalesce(jsonb_agg(invoice_line_json(l) ORDER BY l.day, l.cluster_id, l.sku, l.microcents), '[]')
         FROM invoice_line_priced l WHERE l.invoice_id = i.id))
$$;

-- The price that is in force; of an item that is new, the one that will be.
CREATE FUNCTION sku_json(s sku) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'id', s.id,
        'description', s.description,
        'unit', CASE WHEN s.id = 'DISK_GB' THEN 'GB hours' ELSE 'member hours' END,
        'unitPriceDollars', billing_number(coalesce(
            (SELECT p.microcents FROM price p WHERE p.sku = s.id AND p.valid_from <= now() ORDER BY p.valid_from DESC LIMIT 1),
            (SELECT p.microcents FROM price p WHERE p.sku = s.id ORDER BY p.valid_from LIMIT 1), 0) / 100000000.0))
$$;

-- ---- Who may see and change what: invoices, lines and usage are changed by the functions above only ----
DO $$
DECLARE
    v_table text;
    v_function text;
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
    FOREACH v_function IN ARRAY ARRAY['billing_step(bytea, bytea, timestamptz, int)', 'price_list_set(jsonb, timestamptz)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO reeve_tenant', v_function);
    END LOOP;
END $$;
GRANT SELECT ON invoice_line_priced TO reeve_reader, reeve_tenant;
GRANT INSERT, DELETE ON cost_report TO reeve_tenant;
CREATE POLICY sweep_sees ON cost_report FOR SELECT TO reeve_tenant USING (expires_at < now() AND reeve_is_service());
CREATE POLICY sweep ON cost_report FOR DELETE TO reeve_tenant USING (expires_at < now() AND reeve_is_service());
