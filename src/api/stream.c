/* SPDX-License-Identifier: Apache-2.0 */
/* For streams: whether the caller may still read the list. */
#include "api/catalog.h"
#include "api/metrics.h"
#include "api/stage/stages.h"
#include "base/clock.h"

bool
api_is_stream(const struct request *req)
{
    return req->answer.kind == ANSWER_STREAM && req->failed == OK;
}

void
api_stream_begins(struct request *req)
{
    if (req->api->metrics != NULL)
        metrics_count_request(req->api->metrics, catalog_index(req->api->catalog, req->endpoint), req->out.status,
                              clock_steady_us() - req->started_us);
}

void
api_stream_refuse(struct request *req, error why)
{
    req->out.header_count = 0; /* those of the stream that does not begin */
    api_refuse(req, why);
}

/* A Digest answer is good for one request: from then on it is the principal that is looked at. */
static error
authenticate_again(struct request *req)
{
    str scheme = str_slice(req->in.authorization, 0, sizeof("Bearer ") - 1);
    if (str_eq_nocase(scheme, STR("Bearer ")) || id_is_there(req->caller->session)) {
        struct credentials credentials = request_credentials(req);
        credentials.goes_on = true;
        return auth_authenticate(req->api->auth, req->arena, &credentials, req->may_block, false, &req->caller);
    }
    if (!req->may_block)
        return OK;
    struct credentials credentials = request_credentials(req);
    return auth_reload_principal(req->api->auth, req->arena, &credentials, req->caller, &req->caller);
}

error
api_stream_check(struct request *req, struct arena *arena, bool may_block)
{
    /* The stages write into the request; what they find lives in the other arena, so they get a copy. */
    struct request probe = *req;
    probe.arena = arena;
    probe.may_block = may_block;
    probe.confirmed = false;
    TRY(authenticate_again(&probe));
    TRY(stage_origin(&probe));
    TRY(stage_context(&probe));
    TRY(stage_authorize(&probe));
    req->roles = probe.roles;
    return OK;
}
