/* SPDX-License-Identifier: Apache-2.0 */
/*
 * At most so many seats of a host do the same thing at the same time; the others wait. Only the agent's memory knows who has a turn: who goes on with something that
 * an earlier life of the agent has begun takes it again, and goes on also when there is none left.
 */
#ifndef AGENT_SEAT_TURNS_H
#define AGENT_SEAT_TURNS_H

#include <pthread.h>

#include "base/id.h"

enum { TURNS_MOST = 64 };

struct turns {
    pthread_mutex_t lock;
    size_t count;
    id holders[TURNS_MOST];
};

#define TURNS_NONE                        \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Whether the seat has one, of `most` that there are. */
bool turn_take(struct turns *turns, size_t most, id seat);
/* Also of a seat that has none. */
void turn_give_back(struct turns *turns, id seat);

#endif
