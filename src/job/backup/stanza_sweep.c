/* SPDX-License-Identifier: Apache-2.0 */
/* Places of backups that nobody needs any more, and those that are missing. */
#include "job/kinds.h"
#include "store/backup/copy.h"
#include "store/backup/stanza.h"

static error
remove_spent(struct sweep_context *context)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(context->store, context->arena, &tx));
    TRY(store_stanza_remove_spent(tx));
    TRY(store_seats_remove_spent(tx));
    return tx_commit(tx);
}

static error
complete_copies(struct sweep_context *context)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(context->store, context->arena, &tx));
    TRY(store_copies_complete(tx));
    return tx_commit(tx);
}

const struct sweep missing_copies_sweep = {
    .name = "missing-copies",
    .doc = "Finds repository hosts for copies of backups that schedules ask for and that have no place.",
    .every_s = 10,
    .run = complete_copies,
};

const struct sweep spent_backups_sweep = {
    .name = "spent-backups",
    .doc = "Has repository hosts remove what is left of backups whose last snapshot is gone.",
    .every_s = 60,
    .run = remove_spent,
};
