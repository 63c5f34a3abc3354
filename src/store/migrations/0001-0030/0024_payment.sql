-- Invoices that nobody paid in time, and what the operator agreed about them. docs/internals/billing.md has the rules.
-- was: 3f2fe1fb7052676a4bfa6573cb49397125bff18f10ddace79b207023a684b189

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
