/* SPDX-License-Identifier: Apache-2.0 */
/* Draining hosts. In transactions of the service: a host's members belong to many tenants. */
#ifndef STORE_FLEET_DRAIN_H
#define STORE_FLEET_DRAIN_H

#include "store/store.h"

/* Adds a job of that kind for each cluster with a member on the host, unless it has one; *ret_left members are left. */
MUST_USE error store_host_move_clusters(struct tx *tx, id host, str kind, str first_step, int step_count,
                                        int64_t *ret_left);
/* What draining the host would do now, as a JSON list of moves; nothing of it is done. */
MUST_USE error store_host_drain_plan(struct tx *tx, id host, str *ret_moves);
/* DRAINING becomes DRAINED, when nothing is left. */
MUST_USE error store_host_drained(struct tx *tx, id host);

#endif
