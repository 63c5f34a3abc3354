-- Opens an invoice, adds at most $3 spans of usage to it, or closes it; $2 is an id of the own cell.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT s.outcome, (SELECT invoice_json(i)::text FROM invoice i WHERE i.id = s.invoice_id AND s.outcome = 'CLOSED')
FROM billing_step($1, $2, billing_now(), $3::int) s
