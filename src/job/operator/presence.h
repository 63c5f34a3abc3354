/* SPDX-License-Identifier: Apache-2.0 */
/* Says every half minute that this process is there. Operators count such processes, and Prometheus finds them (store/operator/instance.h). */
#ifndef JOB_OPERATOR_PRESENCE_H
#define JOB_OPERATOR_PRESENCE_H

#include "store/operator/instance.h"

struct presence;
/* A thread of its own, so never before a fork. `listen` is where it answers at /metrics, "0.0.0.0:9443"; NULL: nowhere. NULL without memory. */
MUST_USE struct presence *presence_new(struct store *store, const char *kind, const char *listen, bool is_encrypted);
void presence_free(struct presence *presence); /* NULL is fine */

/* The address under which others reach what listens there: the machine's name in place of "all addresses". */
str presence_address(struct arena *arena, const char *machine, str listen);

#endif
