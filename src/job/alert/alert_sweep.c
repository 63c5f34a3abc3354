/* SPDX-License-Identifier: Apache-2.0 */
/* Alerts of one moment are closed when they were open for a day. */
#include "job/kinds.h"
#include "store/alert/alert.h"

static error
close_one(struct sweep_context *context, const struct alert_closing *closing)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    str document, cluster;
    TRY(tx_begin(context->store, context->arena, closing->place.organization, &tx));
    TRY(store_alert_close(tx, closing->place.organization, closing->alert, &document, &cluster));
    return tx_commit(tx);
}

static error
close_past(struct sweep_context *context)
{
    struct alert_closing closing[ALERT_CLOSING_MAX];
    size_t count;
    do {
        TRY(store_alert_closing(context->store, context->arena, closing, &count));
        for (size_t i = 0; i < count; i++)
            TRY(close_one(context, &closing[i]));
    } while (count == ALERT_CLOSING_MAX);
    return OK;
}

const struct sweep past_alerts_sweep = {
    .name = "past-alerts",
    .doc = "Closes alerts about one moment that were open for a day.",
    .every_s = 10,
    .run = close_past,
};
