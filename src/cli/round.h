/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several GETs at a time, while keys are pressed: nothing here waits for a server alone. Nothing is tried again within a round, because
 * there will be another one.
 */
#ifndef CLI_ROUND_H
#define CLI_ROUND_H

#include "cli/client.h"

struct ask {
    str target;
    struct answer answer;
    str problem; /* why there is no answer; empty: there is one, with any status */
};

struct round;

/* Connections stay open from one round to the next. NULL: no memory. */
MUST_USE struct round *round_new(struct client *client);
void round_free(struct round *round);

/* `asks` and `arena`, which the answers are in, must stay until the round is over or another one begins. */
void round_begin(struct round *round, struct arena *arena, struct ask *asks, size_t count);
bool round_is_over(const struct round *round);
/* Goes on until something happened, there is something to read at one of the descriptors, or the time is over. */
void round_wait(struct round *round, const int *fds, size_t fd_count, int timeout_ms);

#endif
