/* SPDX-License-Identifier: Apache-2.0 */
/* A host's request on its way through nginx. */
#ifndef HTTP_AGENT_EXCHANGE_H
#define HTTP_AGENT_EXCHANGE_H

#include "fleet/agent.h"
#include "http/exchange.h"

struct poll;
struct agent_exchange {
    struct exchange *x;
    struct arena *arena; /* of the answer; made by the thread, freed with the request */
    struct agent_request in;
    struct agent_answer out;
    struct agent_poll asked; /* of a poll */
    struct poll *poll;       /* NULL: it is none */
};

/* Answers on a thread: the goal of a poll that was judged, or whatever else was asked. Later than now in any case. */
void agent_go_on_in_thread(struct agent_exchange *agent);
/* Ends the request with agent->out. Runs what nginx has to do then. */
void agent_finish(struct agent_exchange *agent);

#endif
