/* SPDX-License-Identifier: Apache-2.0 */
/* Histories of clusters that nobody can restore anything from any more. */
#include "job/kinds.h"
#include "store/backup/stanza.h"

static error
remove_spent(struct sweep_context *context)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(context->store, context->arena, &tx));
    TRY(store_stanza_remove_spent(tx));
    return tx_commit(tx);
}

const struct sweep spent_backups_sweep = {
    .name = "spent-backups",
    .doc = "Has repository hosts remove what is left of backups whose last snapshot is gone.",
    .every_s = 60,
    .run = remove_spent,
};
