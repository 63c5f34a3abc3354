/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/turns.h"

static size_t
find(const struct turns *turns, id seat)
{
    size_t i = 0;
    while (i < turns->count && !id_eq(turns->holders[i], seat))
        i++;
    return i;
}

bool
turn_take(struct turns *turns, size_t most, id seat)
{
    pthread_mutex_lock(&turns->lock);
    bool is_theirs = find(turns, seat) < turns->count;
    if (!is_theirs && turns->count < most && turns->count < TURNS_MOST) {
        turns->holders[turns->count++] = seat;
        is_theirs = true;
    }
    pthread_mutex_unlock(&turns->lock);
    return is_theirs;
}

void
turn_give_back(struct turns *turns, id seat)
{
    pthread_mutex_lock(&turns->lock);
    size_t place = find(turns, seat);
    if (place < turns->count)
        turns->holders[place] = turns->holders[--turns->count];
    pthread_mutex_unlock(&turns->lock);
}
