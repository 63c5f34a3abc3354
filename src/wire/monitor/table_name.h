/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a table is called where measurements are: "shop.orders", or "shop.sales.orders" when its schema is not `public`. A tenant may call anything anything,
 * so an identifier that has a dot or a double quote in it stands in double quotes, those in it twice, as in SQL: every table has one name, and every
 * name is one table. Small and capital letters differ.
 */
#ifndef WIRE_MONITOR_TABLE_NAME_H
#define WIRE_MONITOR_TABLE_NAME_H

#include "base/str.h"

enum {
    TABLE_NAME_BYTES = 255,      /* as much as a name in points has */
    TABLE_IDENTIFIER_BYTES = 63, /* of PostgreSQL */
    TABLE_MOST_PINNED = 20,      /* of a cluster */
};
#define TABLE_SCHEMA "public" /* the one that is not said */

struct table_name {
    str database, schema, table; /* as they are, without quotes */
};

/* Empty when it has no name: it would be too long, or one of them is no text. */
str table_name_write(struct arena *arena, struct table_name name);
/* What is not the only way to write a name is read as well: `shop.public.orders`. False when it is none. */
MUST_USE bool table_name_read(struct arena *arena, str text, struct table_name *ret_name);
/* The same of what stands behind the database: "orders", "sales.orders". */
MUST_USE bool table_name_read_in(struct arena *arena, str database, str text, struct table_name *ret_name);

#endif
