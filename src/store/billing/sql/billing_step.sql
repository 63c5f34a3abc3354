-- Opens an invoice, adds at most :spans spans of usage to it, or closes it; :id is an id of the own cell.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT s.outcome, (SELECT invoice_json(i)::text FROM invoice i WHERE i.id = s.invoice_id AND s.outcome = 'CLOSED') AS invoice
FROM billing_step(:organization, :id, billing_now(), :spans::int) s
