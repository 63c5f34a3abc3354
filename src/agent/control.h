/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of docs/internals/fleet.md: what an agent asks the control plane. */
#ifndef AGENT_CONTROL_H
#define AGENT_CONTROL_H

#include "agent/state.h"

enum control_verdict {
    CONTROL_OK,
    CONTROL_NOTHING, /* no news */
    CONTROL_STALE,   /* somebody joined as this host since: stop */
};

/* Waits up to a minute for a goal that is not `after`. */
MUST_USE error control_goal(struct caller *caller, struct arena *arena, const struct state *state, int64_t after,
                            enum control_verdict *ret_verdict, str *ret_document);
MUST_USE error control_report(struct caller *caller, struct arena *arena, const struct state *state, str report,
                              enum control_verdict *ret_verdict);

struct control_certificate {
    str certificate, authority; /* PEM */
};
/* Of the host itself, renewed. */
MUST_USE error control_renew(struct caller *caller, struct arena *arena, const struct state *state, str request,
                             struct control_certificate *ret_certificate);
/* `purpose` is SERVER, CLUSTER or ETCD; empty: for everything, as control planes from before have it. */
MUST_USE error control_member_certificate(struct caller *caller, struct arena *arena, const struct state *state,
                                          id member, const char *purpose, str request,
                                          struct control_certificate *ret_certificate);

/* Of a seat of this host, signed by the authority of the cluster that it backs up. */
MUST_USE error control_seat_certificate(struct caller *caller, struct arena *arena, const struct state *state, id seat,
                                        str request, struct control_certificate *ret_certificate);

/* Of a gate of this host, signed by the authority of the cluster that is restored into. */
MUST_USE error control_gate_certificate(struct caller *caller, struct arena *arena, const struct state *state, id gate,
                                        str request, struct control_certificate *ret_certificate);

/* Of a download that this host hands out, signed by the fleet's authority. */
MUST_USE error control_download_certificate(struct caller *caller, struct arena *arena, const struct state *state,
                                            id download, str request, struct control_certificate *ret_certificate);

struct control_joined {
    id host;
    str host_name;
    int64_t epoch;
    str certificate, authority;
};
/* `state` has the authority on disk already; the token goes nowhere before that. */
MUST_USE error control_join(struct caller *caller, struct arena *arena, const struct state *state, str token,
                            str request, str facts, struct control_joined *ret_joined);

#endif
