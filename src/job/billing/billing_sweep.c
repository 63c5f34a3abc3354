/* SPDX-License-Identifier: Apache-2.0 */
/* Reads prices from the operator's file, adds complete hours to invoices, and removes old reports. */
#include "base/failpoint.h"
#include "base/log.h"
#include "job/billing/price_file.h"
#include "job/kinds.h"
#include "store/billing/billing.h"

/* ---- prices ---- */

/* A file that cannot be read leaves the prices as they are: nothing becomes free by a mistake. */
static error
take_prices(struct sweep_context *context)
{
    const char *path = context->environment->price_file;
    char text[2048] = "";
    str items;
    int64_t changes;
    if (path == NULL || path[0] == '\0')
        return OK;
    FILE *problems = fmemopen(text, sizeof(text), "w");
    if (problems == NULL)
        return fail(context->arena, OVERLOADED);
    bool is_good = price_file_read(context->arena, path, problems, &items);
    (void)fclose(problems);
    if (!is_good) {
        text[sizeof(text) - 1] = '\0';
        log_line(LOG_ERROR, "price_file", "The prices stay as they are: %s", text);
        return OK;
    }
    TRY(store_price_list_set(context->store, context->arena, items, &changes));
    if (changes > 0)
        log_line(LOG_INFO, "prices_changed", "%lld changes of %s are in force from the next hour on.",
                 (long long)changes, path);
    return OK;
}

const struct sweep prices_sweep = {
    .name = "prices",
    .doc = "Reads the operator's price file.",
    .every_s = 60,
    .run = take_prices,
};

/* ---- billing ---- */

/* One transaction a step: whoever ends in the middle leaves the last one that was whole. */
static error
bill_once(struct sweep_context *context, id organization, bool *ret_did_something)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(16 * 1024 * 1024);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    if (arena == NULL)
        return fail(context->arena, OVERLOADED);
    error problem = tx_begin(context->store, arena, organization, &tx);
    if (problem == OK)
        problem = store_billing_step(tx, organization, ret_did_something);
    failpoint("sweep:billing:step");
    if (problem == OK)
        problem = tx_commit(tx);
    failpoint("sweep:billing:committed");
    if (problem == OK)
        return OK;
    log_line(LOG_WARNING, "billing_failed", "Organization %s: %.*s", id_text(arena, organization).data,
             STR_ARG(problem->detail));
    return fail(context->arena, OVERLOADED);
}

/* One organization that cannot be billed does not keep the others waiting. */
static error
bill(struct sweep_context *context)
{
    id due[BILLING_DUE_MAX], after = ID_NONE;
    size_t count;
    error first = OK;
    do {
        TRY(store_billing_due(context->store, context->arena, after, due, &count));
        for (size_t i = 0; i < count; i++) {
            bool did_something = true;
            error problem = OK;
            while (problem == OK && did_something)
                problem = bill_once(context, due[i], &did_something);
            if (first == OK)
                first = problem;
            after = due[i];
        }
    } while (count == BILLING_DUE_MAX);
    return first;
}

const struct sweep billing_sweep = {
    .name = "billing",
    .doc = "Adds hours that are over to invoices, and closes those of months that are over.",
    .every_s = 60,
    .run = bill,
};

/* ---- expired-reports ---- */

static error
remove_expired_reports(struct sweep_context *context)
{
    enum { AT_ONCE = 500 };
    int deleted;
    do
        TRY(store_cost_report_prune(context->store, context->arena, &deleted));
    while (deleted == AT_ONCE);
    return OK;
}

const struct sweep expired_reports_sweep = {
    .name = "expired-reports",
    .doc = "Removes usage reports that were asked for a day ago.",
    .every_s = 3600,
    .run = remove_expired_reports,
};
