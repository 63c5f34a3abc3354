/* SPDX-License-Identifier: Apache-2.0 */
/* Figures about the whole fleet, as metrics. A worker takes them; nodes only show what was taken. */
#ifndef JOB_FLEET_FLEET_FIGURES_H
#define JOB_FLEET_FLEET_FIGURES_H

#include "base/str.h"
#include "store/store.h"

enum {
    FLEET_FIGURES_EVERY_S = 15,
    FLEET_FIGURES_OLD_S = 300, /* what is older says nothing about now, and is not shown */
};

/* In the format of Prometheus; empty when the database cannot be asked. */
str fleet_figures_text(struct store *store, struct arena *arena);

#endif
