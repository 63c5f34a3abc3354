/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of requests. Each takes the request and returns OK to go on, WOULD_BLOCK to wait (for a thread, unless it set `needs`), or the
 * error to answer with. stage_list.c has them in order.
 */
#ifndef API_STAGE_STAGES_H
#define API_STAGE_STAGES_H

#include "api/api.h"

error stage_target(struct request *req); /* the path, and how the answer is to look */
error stage_other_path(
    struct request *req); /* answers paths that are not operations: OAuth, its metadata, the OpenAPI document */
error stage_route(struct request *req); /* path and method -> endpoint */
/* The rest of routing once the prefix is known: `path` is the part after it. */
error route_path(struct request *req, str path, str raw_query);
error stage_authenticate(struct request *req); /* credentials -> caller */
error stage_origin(struct request *req);       /* is the address on the caller's access list */
error stage_context(struct request *req);      /* does the organization or project exist, is the caller in it */
error stage_limit(struct request *req);        /* one token of the bucket */
error stage_authorize(struct request *req);    /* has the caller the role */
error stage_admit(struct request *req);        /* room for the body and the answer */
error stage_validate(struct request *req);     /* path, query, headers, body */
error stage_available(struct request *req);    /* is there any behaviour: else 501 */
error stage_open(struct request *req);         /* a transaction, for what changes something */
error stage_idempotency(struct request *req);  /* was the same request answered before */
error stage_run(struct request *req);
error stage_commit(struct request *req); /* the change, its event and its idempotency record together */
error stage_render(struct request *req);

/* For a stage that needs the body: OK when it has arrived, else what the stage returns. */
MUST_USE error request_admit(struct request *req, size_t body_max);

/* One token of this set's bucket: RATE_LIMITED_TOKEN_BUCKET without any. Caller and context are known. */
MUST_USE error request_spend(struct request *req, enum set_label set);

/* ---- other_path.c: the paths that are not operations ---- */
size_t other_path_count(void);
const char *other_path_name(size_t index);

#endif
