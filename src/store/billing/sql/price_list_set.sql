-- Makes the price list what :items says; how much of it has changed.
-- scope: none, because prices are the operator's and the same for all
SELECT price_list_set(:items::jsonb, billing_now()) AS changes
