/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured now, of every member at once: one question, however many look at the answer. */
#ifndef MONITOR_INSTANT_H
#define MONITOR_INSTANT_H

#include "base/id.h"
#include "monitor/stores.h"

struct instant_value {
    id member;
    double value;
};
struct instant_list {
    size_t count;
    struct instant_value *items; /* by member, each once */
};

/* `query` is in the language of stores, and gives one value for each label `member`. 503 when no store answers. */
MUST_USE error instant_read(struct monitor_stores *stores, struct arena *arena, const char *query,
                            struct instant_list *ret_list);
/* False: nothing was measured. */
MUST_USE bool instant_find(const struct instant_list *list, id member, double *ret_value);

#endif
