-- One item, also one that has no price any more: older invoices name it.
-- scope: none, because prices are the operator's and the same for all
SELECT sku_json(s)::text AS document, 0 AS revision FROM sku s WHERE s.id = :sku
