/* SPDX-License-Identifier: Apache-2.0 */
/* Locks organizations whose invoices are overdue, and unlocks those that owe nothing any more. */
#include "base/failpoint.h"
#include "base/log.h"
#include "job/kinds.h"
#include "store/billing/payment.h"

/* One transaction an organization: its lock, its event and what nodes are told are there together, or not at all. */
static error
judge_one(struct sweep_context *context, id organization)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    if (arena == NULL)
        return fail(context->arena, OVERLOADED);
    error problem = tx_begin(context->store, arena, organization, &tx);
    if (problem == OK)
        problem = store_payment_judge(tx, organization, context->environment->payment_due_days, &changed);
    failpoint("sweep:payments:judged");
    if (problem == OK)
        problem = tx_commit(tx);
    failpoint("sweep:payments:committed");
    if (problem == OK || problem->code == RESOURCE_NOT_FOUND) /* deleted meanwhile */
        return OK;
    log_line(LOG_WARNING, "payments_failed", "Organization %s: %.*s", id_text(arena, organization).data,
             STR_ARG(problem->detail));
    return fail(context->arena, OVERLOADED);
}

static error
judge_payments(struct sweep_context *context)
{
    id due[PAYMENT_DUE_MAX], after = ID_NONE;
    size_t count;
    error first = OK;
    do {
        TRY(store_payment_due(context->store, context->arena, after, context->environment->payment_due_days, due,
                              &count));
        for (size_t i = 0; i < count; i++) {
            error problem = judge_one(context, due[i]);
            if (first == OK)
                first = problem;
            after = due[i];
        }
    } while (count == PAYMENT_DUE_MAX);
    return first;
}

const struct sweep payments_sweep = {
    .name = "payments",
    .doc = "Locks organizations whose invoices are overdue, and unlocks those that owe nothing any more.",
    .every_s = 300,
    .run = judge_payments,
};
