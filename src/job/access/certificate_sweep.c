/* SPDX-License-Identifier: Apache-2.0 */
/* Tells once of each database user that their last certificate ends soon. */
#include "base/json.h"
#include "job/kinds.h"
#include "store/access/user_certificate.h"
#include "store/event/event.h"

static error
tell(struct sweep_context *context, const struct ending_certificate *ending)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    TRY(tx_begin(context->store, context->arena, ending->organization, &tx));
    TRY(store_user_certificate_tell(tx, ending, &changed));
    if (!changed)
        return OK;
    struct event_draft event = { .type = EVENT_USER_CERTIFICATE_ENDS,
                                 .organization = ending->organization,
                                 .project = ending->project,
                                 .after = json_parse_own(context->arena, ending->document) };
    TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

/* Those beyond the first hundred are told in the next run. */
static error
tell_all(struct sweep_context *context)
{
    struct ending_certificate ending[CERTIFICATES_ENDING_MAX];
    size_t count;
    TRY(store_user_certificates_ending(context->store, context->arena, ending, &count));
    for (size_t i = 0; i < count; i++)
        TRY(tell(context, &ending[i]));
    return OK;
}

const struct sweep ending_certificates_sweep = {
    .name = "ending-certificates",
    .doc = "Tells of database users whose last certificate ends within two weeks.",
    .every_s = 60,
    .run = tell_all,
};
