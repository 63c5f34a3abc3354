-- One invoice with its lines.
-- scope: organization :organization
SELECT invoice_whole_json(i)::text AS document, i.revision FROM invoice i WHERE i.org_id = :organization AND i.id = :invoice
