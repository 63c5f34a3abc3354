-- Notes that a closed invoice was paid; no row when it was before, or is not closed, or there is nothing to pay.
-- scope: organization $1
INSERT INTO invoice_payment (invoice_id, org_id, paid_at, note)
SELECT i.id, i.org_id, billing_now(), $3 FROM invoice i WHERE i.org_id = $1 AND i.id = $2 AND i.status = 'CLOSED'
ON CONFLICT (invoice_id) DO NOTHING
RETURNING encode(invoice_id, 'hex')
