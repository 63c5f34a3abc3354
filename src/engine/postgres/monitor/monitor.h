/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured inside of a server: see engine.h, which has these functions in its table. */
#ifndef ENGINE_POSTGRES_MONITOR_MONITOR_H
#define ENGINE_POSTGRES_MONITOR_MONITOR_H

#include "engine/engine.h"

struct engine_monitor *postgres_monitor_new(const char *memory);
void postgres_monitor_free(struct engine_monitor *monitor);
error postgres_measure(struct engine_member *self, struct engine_monitor *monitor, const struct engine_round *round,
                       struct buf *out);
/* The process that all others of the server are children of, or 0. */
int64_t postgres_first_process(struct engine_member *self);

/* The role that measures; on the primary, by the superuser. */
MUST_USE error monitor_make_role(struct engine_member *self);

#endif
