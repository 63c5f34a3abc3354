-- Whether the sample data is there.
SELECT to_regclass('public.purchase_line') IS NOT NULL
