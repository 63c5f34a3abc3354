-- One step of billing for one organization: opens the invoice of a month, adds closed hours to it, or closes it. What came of it
-- is BILLED (there may be more), CLOSED, or NOTHING. A step is one transaction, and any number of workers may try any of them at
-- any time: the row of the invoice makes them take turns, and each span knows how far it was billed.
-- Locks are taken in the order invoice, spans; the trigger on members takes spans only.
CREATE OR REPLACE FUNCTION billing_step(p_org bytea, p_cell bytea, p_now timestamptz, p_most int, OUT outcome text, OUT invoice_id bytea)
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
        INSERT INTO invoice_line AS l (invoice_id, org_id, project_id, project_name, cluster_id, cluster_name, sku, day, microcents, tags, tags_key, seconds,
                                       created_at)
            SELECT v_invoice.id, p_org, v_span.project_id, v_span.project_name, v_span.cluster_id, v_span.cluster_name, v_span.sku,
                   (piece.hour AT TIME ZONE 'UTC')::date, piece.price, piece.tags,
                   CASE WHEN piece.tags = '{}' THEN '' ELSE encode(sha256(convert_to(piece.tags::text, 'UTF8')), 'hex') END,
                   sum(extract(epoch FROM least(piece.hour + interval '1 hour', v_to) - greatest(piece.hour, v_span.billed_until)))::bigint
                   * v_span.amount, p_now
            FROM (SELECT h AS hour, coalesce((SELECT p.microcents FROM price p WHERE p.sku = v_span.sku AND p.valid_from <= h
                                              ORDER BY p.valid_from DESC LIMIT 1), 0) AS price,
                         usage_tags_at(v_span.cluster_id, v_span.project_id, h) AS tags
                  FROM generate_series(billing_hour(v_span.billed_until), v_to - interval '1 second', interval '1 hour') h) piece
            GROUP BY 8, 9, 10, 11
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
REVOKE ALL ON FUNCTION billing_step(bytea, bytea, timestamp with time zone, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION billing_step(bytea, bytea, timestamp with time zone, integer) TO reeve_tenant;
