/* SPDX-License-Identifier: Apache-2.0 */
#include "base/steady_cond.h"

#include <time.h>

void
steady_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &steady);
    pthread_condattr_destroy(&steady);
}

/* Any other failure ends a wait as well: a loop around it must not spin. */
bool
steady_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t deadline_ms)
{
    struct timespec until = { .tv_sec = deadline_ms / 1000, .tv_nsec = deadline_ms % 1000 * 1000000 };
    return pthread_cond_timedwait(cond, lock, &until) == 0;
}
