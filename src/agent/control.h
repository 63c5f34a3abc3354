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

/* What came of a batch of points (wire/points.h) for one of the stores. */
struct control_points {
    enum {
        CONTROL_POINTS_TAKEN,
        CONTROL_POINTS_REFUSED,  /* something is wrong with the batch itself */
        CONTROL_POINTS_NO_STORE, /* there is no such store */
    } verdict;
    int64_t stores;  /* how many there are; -1: it was not said */
    str started;     /* which process of the store took them */
    int64_t foreign; /* lines of members that are not on this host */
    str detail;      /* of a refusal */
};
/* An error: it was not taken, and may be tried again later. */
MUST_USE error control_points(struct caller *caller, struct arena *arena, const struct state *state, int store,
                              str batch, struct control_points *ret_points);
/* What the advisor saw of a member. An error with `ret_is_taken`: the control plane will never take it, so it is of no use to send it again. */
MUST_USE error control_advice(struct caller *caller, struct arena *arena, const struct state *state, id member,
                              str document, bool *ret_is_taken);
/* Of the door through which this host shows logs; `host` is itself. */
MUST_USE error control_log_certificate(struct caller *caller, struct arena *arena, const struct state *state, id host,
                                       str request, struct control_certificate *ret_certificate);

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
