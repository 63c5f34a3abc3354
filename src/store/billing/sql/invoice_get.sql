-- One invoice with its lines.
-- scope: organization $1
SELECT invoice_whole_json(i)::text, i.revision FROM invoice i WHERE i.org_id = $1 AND i.id = $2
