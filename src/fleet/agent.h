/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What agents ask and how they are answered, without any server around it. Whoever listens hands over a request with the serial
 * number of the client's certificate, which TLS has proven to be the fleet's; who that is, and whether it still is,
 * the database says with every request.
 *
 * The long poll comes in pieces, so that it can wait without a thread: read it, ask who it is, judge, and when the goal is another
 * one than the agent has, fetch the document.
 */
#ifndef FLEET_AGENT_H
#define FLEET_AGENT_H

#include "base/net/net.h"
#include "fleet/fleet.h"
#include "store/fleet/host.h"

struct agent_request {
    str method, path, query, body;
    str serial; /* of the certificate, hexadecimal; empty: the client has none */
    struct net_address client;
};
struct agent_answer {
    unsigned status;
    str body; /* JSON, or empty */
    int retry_after_s;
};

/* Everything but the long poll. May block. Never fails: what goes wrong is the answer. */
void agent_answer(struct fleet *fleet, struct arena *arena, const struct agent_request *request,
                  struct agent_answer *ret_answer);
void agent_refuse(struct arena *arena, error why, struct agent_answer *ret_answer);

/* ---- GET /agent/v1/goal ---- */
enum { AGENT_POLL_S = 50 };
struct agent_poll {
    str serial;
    int64_t after, epoch;
    id host; /* once it was judged */
};
bool agent_is_poll(const struct agent_request *request);
MUST_USE error agent_poll_read(struct arena *arena, const struct agent_request *request, struct agent_poll *ret_poll);
/* `known` is what SQL_HOST_BY_SERIAL says now. OK with *ret_is_new: there is a goal that the agent does not have. */
MUST_USE error agent_poll_judge(struct arena *arena, struct agent_poll *poll, const struct host_known *known,
                                bool *ret_is_new);
/* The document, whatever version it has by now. May block. */
void agent_goal(struct fleet *fleet, struct arena *arena, const struct agent_poll *poll,
                struct agent_answer *ret_answer);

#endif
