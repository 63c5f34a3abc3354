/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agents' API: what hosts ask and how they are answered, without any server around it. A request has the serial
 * number of the client's certificate, which TLS has checked (in.serial). With every request the database says which
 * host that is, and whether the certificate is still valid.
 *
 * The long poll is split so that it can wait without a thread: its stages stop with API_NEEDS_NEWS. The listener finds
 * out which host it is and checks it. When the host's goal differs from the agent's, the poll continues in a thread.
 */
#ifndef FLEET_AGENT_H
#define FLEET_AGENT_H

#include "api/stage_list.h"
#include "fleet/fleet.h"
#include "fleet/report.h"
#include "store/fleet/host.h"

struct agents;
/* `fleet` stays the caller's; `metrics` may be NULL. NULL without memory. */
MUST_USE struct agents *agents_new(struct fleet *fleet, struct metrics *metrics, size_t first_counter);
void agents_free(struct agents *agents);
/* For request_new(). */
struct api *agents_api(struct agents *agents);
extern const struct stage_list agent_stages;

/* What can be asked, for counters. */
size_t agents_count(void);
const char *agents_name(size_t index);

/* What the stages know of a host's request. */
struct agent_call {
    const struct agent_operation *operation;
    str argument;         /* of the path */
    int64_t epoch;        /* that the agent is in; -1: it does not say */
    int64_t after;        /* of a poll: number of the goal that the agent has; of points: number of the store */
    struct report report; /* of a report */
    id host;              /* once it was judged */
    bool is_judged;
};

/* ---- GET /agent/v1/goal ---- */
enum { AGENT_POLL_S = 50 };
/* `known` is what SQL_HOST_BY_SERIAL says now. OK with *ret_is_new: there is a goal that the agent does not have. */
MUST_USE error agent_poll_judge(struct request *req, const struct host_known *known, bool *ret_is_new);

#endif
