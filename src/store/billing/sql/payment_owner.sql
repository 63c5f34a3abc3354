-- The organization of an invoice, as long as it is there.
-- scope: none, because the operator names an invoice and not its organization
SELECT encode(i.org_id, 'hex') AS organization FROM invoice i JOIN organization o ON o.id = i.org_id WHERE i.id = :invoice
