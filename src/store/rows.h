/* SPDX-License-Identifier: Apache-2.0 */
/* How a libpq result becomes a struct rows. Only for store/. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <libpq-fe.h>

#include "store/store.h"

struct rows rows_of(enum sql statement, PGresult *result);
/* Ties the result to the arena; false when the arena is full, then the result is gone. */
MUST_USE bool rows_adopt(struct arena *arena, enum sql statement, PGresult *result, struct rows *ret_rows);

#endif
