/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/sample.h"

#include "base/failpoint.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles.h"
#include "engine/postgres/session.h"

/* Generated, not shipped: numbers from a hash of the row, so that every load is equal and nothing has to be downloaded. */
static const char sample_sql[] =
    "CREATE TABLE public.customer (\n"
    "    id int PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE, city text NOT NULL, created_at timestamptz NOT NULL);\n"
    "CREATE TABLE public.product (id int PRIMARY KEY, name text NOT NULL, category text NOT NULL, price numeric(8, 2) NOT NULL);\n"
    "CREATE TABLE public.purchase (\n"
    "    id int PRIMARY KEY, customer_id int NOT NULL REFERENCES public.customer, placed_at timestamptz NOT NULL, status text NOT NULL);\n"
    "CREATE TABLE public.purchase_line (\n"
    "    purchase_id int NOT NULL REFERENCES public.purchase, product_id int NOT NULL REFERENCES public.product,\n"
    "    quantity int NOT NULL CHECK (quantity > 0), PRIMARY KEY (purchase_id, product_id));\n"
    "INSERT INTO public.customer SELECT n, 'Customer ' || n, 'customer' || n || '@example.org',\n"
    "    (ARRAY['Bergen', 'Cork', 'Graz', 'Porto', 'Tartu', 'Utrecht'])[1 + abs(hashint4(n)) % 6],\n"
    "    timestamptz '2025-01-01 00:00Z' + n * interval '37 minutes' FROM generate_series(1, 2000) n;\n"
    "INSERT INTO public.product SELECT n, 'Product ' || n, (ARRAY['books', 'garden', 'kitchen', 'tools'])[1 + n % 4],\n"
    "    1 + (abs(hashint4(n)) % 20000) / 100.0 FROM generate_series(1, 200) n;\n"
    "INSERT INTO public.purchase SELECT n, 1 + abs(hashint4(n)) % 2000, timestamptz '2025-03-01 00:00Z' + n * interval '11 minutes',\n"
    "    (ARRAY['placed', 'paid', 'sent', 'sent', 'returned'])[1 + abs(hashint4(n * 7)) % 5] FROM generate_series(1, 10000) n;\n"
    "INSERT INTO public.purchase_line SELECT n, 1 + abs(hashint4(n * 13 + k)) % 200, 1 + abs(hashint4(n + k)) % 5\n"
    "    FROM generate_series(1, 10000) n, generate_series(0, 2) k ON CONFLICT DO NOTHING;\n"
    "CREATE INDEX purchase_of_customer ON public.purchase (customer_id);\n"
    "COMMENT ON DATABASE " SAMPLE_DATABASE " IS 'Sample data, loaded by Reeve.';\n";

static error
make_database(struct engine_member *self)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    const str name = STR(SAMPLE_DATABASE);
    str owner = role_of_owner(self->arena, name);
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(session_query(session, "SELECT FROM pg_roles WHERE rolname = $1", 1, &owner, &rows));
    if (rows.count == 0)
        TRY(session_run(session, "CREATE ROLE %s", session_name(session, owner).data));
    TRY(session_query(session, "SELECT FROM pg_database WHERE datname = $1", 1, &name, &rows));
    if (rows.count > 0)
        return OK;
    TRY(session_run(session, "CREATE DATABASE " SAMPLE_DATABASE " OWNER %s", session_name(session, owner).data));
    return session_run(session, "REVOKE ALL ON DATABASE " SAMPLE_DATABASE " FROM PUBLIC");
}

error
sample_load(struct engine_member *self)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    TRY(make_database(self));
    TRY(session_open(self, STR(SAMPLE_DATABASE), &session));
    TRY(session_query(session, "SELECT to_regclass('public.purchase_line') IS NOT NULL", 0, NULL, &rows));
    if (str_is(session_value(&rows, 0, 0), "t"))
        return OK;
    failpoint("agent:task:load-sample:before");
    /* Tables belong to whom the database belongs, and all of it is there or nothing. */
    str owner = session_name(session, role_of_owner(self->arena, STR(SAMPLE_DATABASE)));
    return session_run(session, "BEGIN; GRANT ALL ON SCHEMA public TO %s; SET LOCAL ROLE %s; %s COMMIT", owner.data,
                       owner.data, sample_sql);
}
