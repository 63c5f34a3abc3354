-- Sample data: tables belong to whom the database belongs, and all of it is there or nothing. Generated, not shipped: numbers from a hash of the row,
-- so that every load is equal and nothing has to be downloaded.
BEGIN;
GRANT ALL ON SCHEMA public TO :"owner";
SET LOCAL ROLE :"owner";
CREATE TABLE public.customer (
    id int PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE, city text NOT NULL, created_at timestamptz NOT NULL);
CREATE TABLE public.product (id int PRIMARY KEY, name text NOT NULL, category text NOT NULL, price numeric(8, 2) NOT NULL);
CREATE TABLE public.purchase (
    id int PRIMARY KEY, customer_id int NOT NULL REFERENCES public.customer, placed_at timestamptz NOT NULL, status text NOT NULL);
CREATE TABLE public.purchase_line (
    purchase_id int NOT NULL REFERENCES public.purchase, product_id int NOT NULL REFERENCES public.product,
    quantity int NOT NULL CHECK (quantity > 0), PRIMARY KEY (purchase_id, product_id));
INSERT INTO public.customer SELECT n, 'Customer ' || n, 'customer' || n || '@example.org',
    (ARRAY['Bergen', 'Cork', 'Graz', 'Porto', 'Tartu', 'Utrecht'])[1 + abs(hashint4(n)) % 6],
    timestamptz '2025-01-01 00:00Z' + n * interval '37 minutes' FROM generate_series(1, 2000) n;
INSERT INTO public.product SELECT n, 'Product ' || n, (ARRAY['books', 'garden', 'kitchen', 'tools'])[1 + n % 4],
    1 + (abs(hashint4(n)) % 20000) / 100.0 FROM generate_series(1, 200) n;
INSERT INTO public.purchase SELECT n, 1 + abs(hashint4(n)) % 2000, timestamptz '2025-03-01 00:00Z' + n * interval '11 minutes',
    (ARRAY['placed', 'paid', 'sent', 'sent', 'returned'])[1 + abs(hashint4(n * 7)) % 5] FROM generate_series(1, 10000) n;
INSERT INTO public.purchase_line SELECT n, 1 + abs(hashint4(n * 13 + k)) % 200, 1 + abs(hashint4(n + k)) % 5
    FROM generate_series(1, 10000) n, generate_series(0, 2) k ON CONFLICT DO NOTHING;
CREATE INDEX purchase_of_customer ON public.purchase (customer_id);
COMMENT ON DATABASE :"database" IS 'Sample data, loaded by Reeve.';
COMMIT;
