/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/freshness.h"

#include "base/clock.h"

void
freshness_init(struct freshness *freshness)
{
    atomic_init(&freshness->listening_since_ms, 0);
    atomic_init(&freshness->unreachable_until_ms, 0);
    atomic_init(&freshness->max_age_ms, SNAPSHOT_MAX_AGE_MS);
}

void
freshness_set_listening(struct freshness *freshness, bool connected)
{
    /* What was loaded before may have missed an invalidation, so it does not count as current any more. */
    long long none = 0;
    if (connected)
        atomic_compare_exchange_strong(&freshness->listening_since_ms, &none, clock_steady_ms());
    else
        atomic_store(&freshness->listening_since_ms, 0);
}

bool
freshness_is_listening(struct freshness *freshness)
{
    return atomic_load(&freshness->listening_since_ms) != 0;
}

bool
freshness_is_young(struct freshness *freshness, int64_t loaded_at_ms)
{
    return loaded_at_ms >= 0 && clock_steady_ms() - loaded_at_ms <= atomic_load(&freshness->max_age_ms);
}

bool
freshness_is_current(struct freshness *freshness, int64_t loaded_at_ms)
{
    int64_t since_ms = atomic_load(&freshness->listening_since_ms);
    /* Strictly after: within the same millisecond nobody knows which came first. */
    return since_ms != 0 && loaded_at_ms > since_ms && freshness_is_young(freshness, loaded_at_ms);
}

void
freshness_note_reachable(struct freshness *freshness, bool reachable)
{
    if (!reachable)
        atomic_store(&freshness->unreachable_until_ms, clock_steady_ms() + UNREACHABLE_PAUSE_MS);
    else if (atomic_load(&freshness->unreachable_until_ms) != 0)
        atomic_store(&freshness->unreachable_until_ms, 0);
}

bool
freshness_is_cut_off(struct freshness *freshness)
{
    return clock_steady_ms() < atomic_load(&freshness->unreachable_until_ms);
}
