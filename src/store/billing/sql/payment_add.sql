-- Notes that a closed invoice was paid; no row when it was before, or is not closed, or there is nothing to pay.
-- scope: organization :organization
INSERT INTO invoice_payment (invoice_id, org_id, paid_at, note)
SELECT i.id, i.org_id, billing_now(), :text FROM invoice i WHERE i.org_id = :organization AND i.id = :invoice AND i.status = 'CLOSED'
ON CONFLICT (invoice_id) DO NOTHING
RETURNING encode(invoice_id, 'hex')
