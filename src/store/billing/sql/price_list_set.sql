-- Makes the price list what $1 says; how much of it has changed.
-- scope: none, because prices are the operator's and the same for all
SELECT price_list_set($1::jsonb, billing_now())
