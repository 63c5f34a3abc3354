/* SPDX-License-Identifier: Apache-2.0 */
/* Figures about the whole fleet, for operators. One worker takes them for all nodes, so that no scraper can ask for more. */
#ifndef STORE_FLEET_FIGURES_H
#define STORE_FLEET_FIGURES_H

#include "store/store.h"

/* Makes them anew. */
MUST_USE error store_fleet_figures_take(struct store *store, struct arena *arena);
/* Each row is a value of a metric; only one without a metric when they are older than `limit_s`; none when they were never taken. */
MUST_USE error store_fleet_figures(struct store *store, struct arena *arena, int64_t limit_s, struct rows *ret_rows);

#endif
