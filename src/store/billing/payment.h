/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overdue invoices lock their organization. `days` is how long after its end an invoice is due; 0: nobody is locked for
 * unpaid invoices.
 */
#ifndef STORE_BILLING_PAYMENT_H
#define STORE_BILLING_PAYMENT_H

#include "store/event/event.h"

/* ---- For the worker ---- */
enum { PAYMENT_DUE_MAX = 100 };
/* Organizations that must be locked or unlocked for their invoices, in the order of their ids, after `after`. */
MUST_USE error store_payment_due(struct store *store, struct arena *arena, id after, int64_t days,
                                 id ret_due[PAYMENT_DUE_MAX], size_t *ret_count);
/* Locks or unlocks the organization of the transaction, with its event, and tells all nodes; false when neither was needed. What the
 * operator locked stays locked. */
MUST_USE error store_payment_judge(struct tx *tx, id organization, int64_t days, bool *ret_changed);

/* ---- For the operator. What changes is judged in the same transaction; each is an event. ---- */
/* RESOURCE_NOT_FOUND when there is no such invoice, or its organization is gone. */
MUST_USE error store_payment_owner(struct store *store, struct arena *arena, id invoice, id *ret_organization);
/* False when it was paid before, or is not closed, or has nothing to pay. */
MUST_USE error store_payment_add(struct tx *tx, id organization, const struct event_actor *by, id invoice, str note,
                                 int64_t days, bool *ret_changed);
/* Until then the organization is not locked for unpaid invoices; 0: that ends now. False when it was agreed before. */
MUST_USE error store_payment_agree(struct tx *tx, id organization, const struct event_actor *by, int64_t until_ms,
                                   int64_t days, bool *ret_changed);
/* A JSON list. */
MUST_USE error store_payment_unpaid(struct store *store, struct arena *arena, int64_t days, str *ret_list);

#endif
