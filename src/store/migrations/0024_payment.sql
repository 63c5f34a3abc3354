-- Invoices that nobody paid in time, and what the operator agreed about them. docs/internals/billing.md has the rules.

ALTER TABLE organization
    ADD COLUMN lock_invoice reeve_id,                -- locked by the service, because this one is overdue; NULL: by the operator, or not
    ADD COLUMN payment_agreed_until timestamptz;     -- until then nothing is overdue: the operator knows how it is going to be paid
CREATE INDEX organization_locked_for_invoice ON organization (id) WHERE lock_invoice IS NOT NULL;
CREATE INDEX invoice_closed ON invoice (org_id, closed_at) WHERE status = 'CLOSED';

-- A closed invoice never changes, so that it was paid stands beside it.
CREATE TABLE invoice_payment (
    invoice_id reeve_id PRIMARY KEY REFERENCES invoice (id),
    org_id     reeve_id NOT NULL,
    paid_at    timestamptz NOT NULL,
    note       text NOT NULL
);
ALTER TABLE invoice_payment ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON invoice_payment TO reeve_reader, reeve_tenant;
GRANT INSERT ON invoice_payment TO reeve_tenant;
CREATE POLICY reader ON invoice_payment FOR SELECT TO reeve_reader USING (true);
CREATE POLICY tenant ON invoice_payment TO reeve_tenant USING (org_id = reeve_organization());

CREATE VIEW invoice_owed WITH (security_invoker = true) AS
SELECT i.id, i.org_id, i.began_at, i.closed_at, i.subtotal_cents
FROM invoice i
WHERE i.status = 'CLOSED' AND NOT EXISTS (SELECT FROM invoice_payment p WHERE p.invoice_id = i.id);
GRANT SELECT ON invoice_owed TO reeve_reader, reeve_tenant;

-- The oldest invoice of the organization that is overdue; NULL: none. With 0 days nothing ever is.
CREATE FUNCTION invoice_overdue(p_org bytea, p_days int, p_now timestamptz) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT i.id FROM invoice_owed i JOIN organization o ON o.id = i.org_id
    WHERE i.org_id = p_org AND p_days > 0 AND i.closed_at + make_interval(days => p_days) <= p_now
      AND coalesce(o.payment_agreed_until, '-infinity') <= p_now
    ORDER BY i.began_at LIMIT 1
$$;
