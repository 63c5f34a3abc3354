/* SPDX-License-Identifier: Apache-2.0 */
/* What was used and what it costs. The rules are functions of the database (migration 0018); docs/internals/billing.md. */
#ifndef STORE_BILLING_BILLING_H
#define STORE_BILLING_BILLING_H

#include "store/event/event.h"

/* ---- For the worker ---- */
enum { BILLING_DUE_MAX = 100 };
/* Organizations with something to do, in the order of their ids, after `after`. */
MUST_USE error store_billing_due(struct store *store, struct arena *arena, id after, id ret_due[BILLING_DUE_MAX],
                                 size_t *ret_count);
/* One step for the organization of the transaction, with its event. False when there was nothing to do. */
MUST_USE error store_billing_step(struct tx *tx, id organization, bool *ret_did_something);

/* `items` is a list of {"id", "description", "microcents"}. */
MUST_USE error store_price_list_set(struct store *store, struct arena *arena, str items, int64_t *ret_changes);
MUST_USE error store_cost_report_prune(struct store *store, struct arena *arena, int *ret_deleted);

/* ---- Reports ---- */
struct cost_report_draft {
    str token;
    int64_t from_ms, to_ms; /* the second is not part of it */
    str group_by;           /* organizations, projects, clusters, services */
    /* Filters, as PostgreSQL writes a text[]; empty: none. */
    str organizations, projects, clusters, services;
    bool one_is_enough; /* of the filters that there are */
};
MUST_USE error store_cost_report_add(struct tx *tx, id organization, const struct cost_report_draft *draft);

/* ---- For the operator ---- */
/* With an event, and told to all nodes. An empty reason unlocks. False when nothing changed: also without such an organization. */
MUST_USE error store_organization_set_lock(struct tx *tx, id organization, const struct event_actor *by, str reason,
                                           bool *ret_changed);
/* A JSON list. */
MUST_USE error store_organization_locked(struct store *store, struct arena *arena, str *ret_list);

#endif
