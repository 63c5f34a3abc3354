/* SPDX-License-Identifier: Apache-2.0 */
/* The project's maintenance window, for work that the operator starts. */
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cluster/maintenance.h"
#include "job/cluster/cluster_work.h"
#include "store/resource.h"

enum { WINDOW_LOOK_MS = 60 * 1000 };

/* Asks the project's window, and keeps in it what was planned. */
static error
ask_window(struct job_context *context, struct cluster_work *work, int64_t now_ms, bool *ret_may, int64_t *ret_when)
{
    const struct job *job = context->job;
    struct resource stored;
    bool found;
    *ret_may = true;
    TRY(store_resource_lock(context->tx, job->project, STR(MAINTENANCE_KIND), STR_EMPTY, &found, &stored));
    if (!found)
        return OK;
    json_t *document = json_parse_own(context->arena, stored.document);
    if (document == NULL)
        return fail(context->arena, OVERLOADED);
    struct maintenance window = maintenance_read(document), before = window;
    *ret_may = maintenance_may_begin(&window, now_ms, ret_when);
    if (window.starts_ms == before.starts_ms && window.has_begun == before.has_begun)
        return OK;
    maintenance_write_round(document, &window);
    struct resource_draft draft = { .organization = job->organization,
                                    .scope = job->project,
                                    .id = stored.id,
                                    .kind = STR(MAINTENANCE_KIND),
                                    .document = json_text(context->arena, document) };
    TRY(store_resource_replace(context->tx, &draft, &stored));
    return *ret_may ? OK : work_event(context, work, EVENT_MAINTENANCE_SCHEDULED);
}

error
work_wait_for_window(struct job_context *context, struct cluster_work *work, struct job_result *ret_result)
{
    int64_t now_ms = context->environment->now_ms != NULL ? context->environment->now_ms() : clock_now_ms();
    int64_t when;
    bool may;
    TRY(ask_window(context, work, now_ms, &may, &when));
    if (may)
        return step_done(ret_result);
    TRY(step_waits(context, ret_result, "It waits for the project's maintenance window, which begins at %s.",
                   date_text(context->arena, when).data));
    ret_result->wait_ms = when - now_ms < WINDOW_LOOK_MS ? when - now_ms : WINDOW_LOOK_MS;
    return OK;
}
