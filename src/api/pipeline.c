/* SPDX-License-Identifier: Apache-2.0 */
/* The way of every request, in one list. Nothing happens to a request that is not in it. */
#include "api/api.h"
#include "api/catalog.h"
#include "api/metrics.h"
#include "api/render.h"
#include "api/stage/stages.h"
#include "base/clock.h"

// clang-format off
static const struct stage {
    const char *name;
    error (*run)(struct request *req);
} pipeline[] = {
    { "route", stage_route },
    { "authenticate", stage_authenticate },
    { "origin", stage_origin },
    { "context", stage_context },
    { "limit", stage_limit },
    { "authorize", stage_authorize },
    { "admit", stage_admit },
    { "validate", stage_validate },
    { "available", stage_available },
    { "open", stage_open },
    { "idempotency", stage_idempotency },
    { "run", stage_run },
    { "commit", stage_commit },
    { "render", stage_render },
};
// clang-format on

const struct failure needs_rows = { .code = INTERNAL_ERROR }, needs_room = { .code = INTERNAL_ERROR };

static void
count(struct request *req)
{
    size_t operation = req->endpoint == NULL ? METRICS_NO_OPERATION : catalog_index(req->api->catalog, req->endpoint);
    metrics_count_request(req->api->metrics, operation, req->out.status, clock_steady_us() - req->started_us);
    if (req->failed != OK && req->failed->code == RATE_LIMITED_TOKEN_BUCKET)
        metrics_count_denial(req->api->metrics, req->denied_by);
}

static void
finish(struct request *req)
{
    if (req->tx != NULL) {
        tx_rollback(req->tx); /* nothing to undo when it was committed */
        req->tx = NULL;
    }
    if (req->in.request_id.len > 0)
        response_header(&req->out, STR("X-Request-Id"), req->in.request_id);
    if (req->api->metrics == NULL || (req->answer.kind == ANSWER_STREAM && req->failed == OK))
        return; /* a stream counts when it begins: it may still be one too many */
    count(req);
}

static enum api_step
advance(struct request *req, bool may_block)
{
    while (req->stage < LENGTH(pipeline) && !req->done) {
        error problem = pipeline[req->stage].run(req);
        if (problem == WOULD_BLOCK && !may_block)
            return API_NEEDS_THREAD;
        if (problem == &needs_rows)
            return API_NEEDS_ROWS;
        if (problem == &needs_room)
            return API_NEEDS_ROOM;
        if (problem != OK) {
            api_refuse(req, problem);
            return API_ANSWERED;
        }
        req->stage++;
    }
    finish(req);
    return API_ANSWERED;
}

enum api_step
api_advance(struct request *req, bool may_block)
{
    req->may_block = may_block;
    store_reads_apart(may_block && api_is_large(req));
    enum api_step step = advance(req, may_block);
    store_reads_apart(false);
    return step;
}

void
api_rows(struct request *req, error problem, struct rows rows)
{
    if (problem == OK)
        problem = req->endpoint->read->answer(req, &rows);
    if (problem != OK) {
        api_refuse(req, problem);
        return;
    }
    req->stage++;
    api_advance(req, false); /* only rendering is left, and that never blocks */
}

void
api_handle(struct request *req)
{
    api_advance(req, true);
}

/* A 401 says how to authenticate, whichever stage or handler gave it (RFC 9110, section 15.5.2). */
static void
add_challenges(struct request *req, error why)
{
    str challenges[3];
    auth_challenges(req->api->auth, req->arena, auth_is_stale_nonce(why), challenges);
    for (size_t i = 0; i < LENGTH(challenges); i++) {
        if (challenges[i].len > 0)
            response_header(&req->out, STR("WWW-Authenticate"), challenges[i]);
    }
}

void
api_refuse(struct request *req, error why)
{
    if (error_rows[why->code].status == 401)
        add_challenges(req, why);
    render_error(req, why);
    finish(req);
}
