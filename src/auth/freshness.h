/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a value in memory may be used. Invalidations arrive through a listener, which tests its connection every two
 * seconds and reports a loss within four (store/listener.h). A value that was loaded while it listens is current until
 * it is invalidated or SNAPSHOT_MAX_AGE_MS old. Otherwise the database has to be asked. Only when it cannot be reached,
 * the old value is used, up to the same age. Thread safe.
 */
#ifndef AUTH_FRESHNESS_H
#define AUTH_FRESHNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SNAPSHOT_MAX_AGE_MS = 60 * 1000,
    UNREACHABLE_PAUSE_MS = 1000, /* after a failed check: how long nobody tries again */
};

struct freshness {
    atomic_llong listening_since_ms; /* 0: not listening */
    atomic_llong unreachable_until_ms;
    atomic_llong max_age_ms; /* SNAPSHOT_MAX_AGE_MS; tests shorten it */
};

void freshness_init(struct freshness *freshness);

/* The listener reports that it listens, or does not any more. */
void freshness_set_listening(struct freshness *freshness, bool connected);
bool freshness_is_listening(struct freshness *freshness);

/* Times are of the steady clock, in ms; -1 was never loaded. */
bool freshness_is_current(struct freshness *freshness, int64_t loaded_at_ms);
bool freshness_is_young(struct freshness *freshness, int64_t loaded_at_ms);

/* The database was asked and did not answer, or did. */
void freshness_note_reachable(struct freshness *freshness, bool reachable);
/* It did not answer a moment ago: young values are used without asking again. */
bool freshness_is_cut_off(struct freshness *freshness);

#endif
