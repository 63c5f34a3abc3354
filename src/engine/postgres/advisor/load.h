/* SPDX-License-Identifier: Apache-2.0 */
/* What statements of tenants cost on a member: differences of pg_stat_statements between two looks, by shape; and how long the
 * slowest run of each took. The log would tell every slow run, but with its values, passwords among them. */
#ifndef ENGINE_POSTGRES_ADVISOR_LOAD_H
#define ENGINE_POSTGRES_ADVISOR_LOAD_H

#include "base/json.h"
#include "engine/engine.h"
#include "engine/postgres/advisor/shape_text.h"

enum { LOAD_MOST_COUNTERS = 10000, LOAD_MOST_SHAPES = 100, LOAD_TOP = 50 };
#define LOAD_SLOW_MS 100.0 /* a statement that took longer is told as slow */

error load_look(struct engine_member *self, struct engine_load *load, json_t **ret_document);
/* The library is told to count by this; what is not installed is not asked for. */
#define LOAD_LIBRARY "pg_stat_statements"

/* ---- For what else speaks of shapes in the same document ---- */
/* The place of the shape in "shapes" of the document, where it is put when it is not there; -1: there is no more room. */
ptrdiff_t load_shape_place(struct arena *arena, json_t *document, str database, const struct shape *shape);

#endif
