/* SPDX-License-Identifier: Apache-2.0 */
/* A condition variable that waits by the steady clock: a change of the time of day neither wakes nor delays anybody. */
#ifndef BASE_STEADY_COND_H
#define BASE_STEADY_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Use it with pthread_cond_signal() and pthread_cond_broadcast(); free it with pthread_cond_destroy(). */
void steady_cond_init(pthread_cond_t *cond);
/* Under the lock, and in a loop like any wait. `deadline_ms` is in the time of clock_steady_ms(); false when it has passed. */
bool steady_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t deadline_ms);

#endif
