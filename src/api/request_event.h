/* SPDX-License-Identifier: Apache-2.0 */
/* The event of a mutation, with what the request knows: who, from where, in which context. */
#ifndef API_REQUEST_EVENT_H
#define API_REQUEST_EVENT_H

#include "api/request.h"
#include "store/event/event.h"

/* In the request's transaction. `before` and `after` may be NULL and must not hold secrets. */
MUST_USE error request_event(struct request *req, enum event_type type, const json_t *before, const json_t *after);
/* In another context than the path's: a project that was just created, say. */
MUST_USE error request_event_in(struct request *req, enum event_type type, id organization, id project,
                                const json_t *before, const json_t *after);
/* Who does it, from where: for events that the store makes itself. */
void request_event_actor(struct request *req, struct event_draft *ret_draft);
/* About a cluster that the path does not name. */
MUST_USE error request_event_of_cluster(struct request *req, enum event_type type, str cluster, const json_t *before,
                                        const json_t *after);

#endif
