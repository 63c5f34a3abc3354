-- One item, also one that has no price any more: older invoices name it.
-- scope: none, because prices are the operator's and the same for all
SELECT sku_json(s)::text, 0 FROM sku s WHERE s.id = $1
