-- Invoices that are closed and not paid.
CREATE OR REPLACE VIEW invoice_owed WITH (security_invoker = true) AS
SELECT i.id, i.org_id, i.began_at, i.closed_at, i.subtotal_cents
FROM invoice i
WHERE i.status = 'CLOSED' AND NOT EXISTS (SELECT FROM invoice_payment p WHERE p.invoice_id = i.id);
GRANT SELECT ON invoice_owed TO reeve_reader, reeve_tenant;
