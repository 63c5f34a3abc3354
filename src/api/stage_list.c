/* SPDX-License-Identifier: Apache-2.0 */
#include "api/stage_list.h"

#include "api/metrics.h"
#include "api/render.h"
#include "api/stage/stages.h"
#include "base/clock.h"

static void
count(struct request *req)
{
    metrics_count_request(req->api->metrics, req->counter, req->out.status, clock_steady_us() - req->started_us);
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
advance(struct request *req)
{
    const struct stage_list *list = req->api->stages;
    while (req->stage < list->count && !req->done) {
        error problem = list->stages[req->stage].run(req);
        if (problem == WOULD_BLOCK) {
            enum api_step needs = req->needs;
            req->needs = API_NEEDS_THREAD;
            return needs;
        }
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
    enum api_step step = advance(req);
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

void
api_refuse(struct request *req, error why)
{
    if (error_rows[why->code].status == 401 && req->api->stages->challenge != NULL)
        req->api->stages->challenge(req, why);
    render_error(req, why);
    finish(req);
}

void
api_answer_nothing(struct request *req)
{
    req->out = (struct response){ .status = 204, .body = STR_EMPTY, .content_type = STR_EMPTY };
    finish(req);
}

/* ---- The stages of tenants' requests ---- */
static void
challenge(struct request *req, error why)
{
    str challenges[3];
    if (req->challenge != NULL) {
        response_header(&req->out, STR("WWW-Authenticate"), str_from(req->challenge));
        return;
    }
    auth_challenges(req->api->auth, req->arena, auth_is_stale_nonce(why), challenges);
    for (size_t i = 0; i < LENGTH(challenges); i++) {
        /* A browser would ask the person for a name and a password if it were offered Digest. */
        if (challenges[i].len > 0 && (i == 0 || req->in.fetch_site.len == 0))
            response_header(&req->out, STR("WWW-Authenticate"), challenges[i]);
    }
}

// clang-format off
static const struct stage stages[] = {
    { "target", stage_target, "which address is it?", "" },
    { "other path", stage_other_path, "is it one of the few that are no operations: OAuth, invitations, signing in, downloads, measurements for own tools, the OpenAPI document?", "405, or the answer" },
    { "route", stage_route, "which operation is it?", "404, 405" },
    { "authenticate", stage_authenticate, "who calls? (bearer token, Digest, or the cookie of a session)", "401, 403 for a cookie that another site made a browser send, 429 of the guard" },
    { "origin", stage_origin, "is the caller's address on the access list of the credentials?", "403" },
    { "context", stage_context, "does the organization or project exist, and is the caller in it?", "404, 401" },
    { "limit", stage_limit, "has the bucket of this set and scope a token left?", "429" },
    { "authorize", stage_authorize, "has the caller one of the roles in the operation's row, is the organization not locked, and did somebody in a session confirm what is grave?", "403" },
    { "admit", stage_admit, "is there room for the body and the answer?", "413, 503" },
    { "validate", stage_validate, "are path, query, headers and body what the tables say?", "400, 404, 406, 413, 415" },
    { "available", stage_available, "is there behaviour behind the row, or is it refused by design?", "501, 400" },
    { "open", stage_open, "a transaction, for what changes something", "503" },
    { "idempotency", stage_idempotency, "was this `Idempotency-Key` seen before?", "409, 422, or the first answer again" },
    { "run", stage_run, "the operation: generic create/get/list/replace/update/delete, or the family's own function", "404, 409, 412 …" },
    { "commit", stage_commit, "the change, its event and its idempotency record together", "409, 503" },
    { "render", stage_render, "mask, links, envelope, `ETag`, headers", "304" },
};
// clang-format on

const struct stage_list tenant_stages = { "A request of the API", stages, LENGTH(stages), challenge };

void
stage_list_print(const struct stage_list *list, FILE *out)
{
    fprintf(out, "| stage | question | refuses with |\n|---|---|---|\n");
    for (size_t i = 0; i < list->count; i++)
        fprintf(out, "| %s | %s | %s |\n", list->stages[i].name, list->stages[i].question,
                list->stages[i].refuses[0] == '\0' ? "—" : list->stages[i].refuses);
}
