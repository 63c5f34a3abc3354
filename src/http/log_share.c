/* SPDX-License-Identifier: Apache-2.0 */
#include "http/log_share.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum {
    SLOTS = 1024,
    PROBES = 8,
    MINUTE_MS = 60 * 1000,
    TOO_MANY = 429,
    TAKEN_BACK = 499,
    OWNER_BYTES = 16,
    TEXT_BYTES = 4096
};

/* One minute's; the last one is shared by all that found no place. */
static struct slot {
    uint8_t owner[OWNER_BYTES];
    bool is_caller;
    int64_t lines, left_out; /* both 0: free */
} slots[SLOTS + 1];
static int64_t most, ends_ms;

static struct slot *
find(const uint8_t owner[OWNER_BYTES], bool is_caller)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < OWNER_BYTES; i++)
        hash = (hash ^ owner[i]) * 1099511628211u;
    for (size_t i = 0; i < PROBES; i++) {
        struct slot *slot = &slots[((hash >> 32) + i) % SLOTS];
        if (slot->lines == 0) {
            memcpy(slot->owner, owner, OWNER_BYTES);
            slot->is_caller = is_caller;
            return slot;
        }
        if (slot->is_caller == is_caller && memcmp(slot->owner, owner, OWNER_BYTES) == 0)
            return slot;
    }
    return &slots[SLOTS];
}

/* What a caller did is always told; not so that it was refused beyond its limits, or asked and did not wait for the answer. A change that was taken
 * back may have happened. */
static bool
is_always_told(const struct request *req, unsigned status)
{
    if (req->caller == NULL || status == TOO_MANY)
        return false;
    return status != TAKEN_BACK || req->endpoint == NULL || req->endpoint->method != GET;
}

bool
log_share_take(const struct request *req, unsigned status)
{
    uint8_t owner[OWNER_BYTES] = { 0 };
    if (most == 0 || req == NULL || is_always_told(req, status))
        return true;
    if (req->caller != NULL) {
        memcpy(owner, req->caller->id.bytes, ID_BYTES);
    } else {
        struct net_address host = net_host(&req->in.client);
        memcpy(owner, host.bytes, OWNER_BYTES);
    }
    struct slot *slot = find(owner, req->caller != NULL);
    if (slot->lines < most) {
        slot->lines++;
        return true;
    }
    slot->left_out++;
    return false;
}

static void
tell(const struct slot *slot)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(TEXT_BYTES);
    if (arena == NULL)
        return;
    str who = STR("many addresses");
    if (slot->is_caller) {
        who = id_text(arena, id_of_bytes(slot->owner));
    } else if (slot != &slots[SLOTS]) {
        struct net_address address;
        memcpy(address.bytes, slot->owner, sizeof(address.bytes));
        who = net_address_text(arena, &address);
    }
    log_line(
        LOG_WARNING, "requests_not_logged",
        "%lld requests of %.*s within a minute have no line in the log, beside %lld that have: they were without valid credentials, "
        "beyond limits, or reads that were taken back.",
        (long long)slot->left_out, STR_ARG(who), (long long)slot->lines);
}

void
log_share_tick(void)
{
    int64_t now_ms = clock_steady_ms();
    if (now_ms < ends_ms)
        return;
    ends_ms = now_ms + MINUTE_MS;
    for (size_t i = 0; i <= SLOTS; i++) {
        if (slots[i].left_out > 0)
            tell(&slots[i]);
    }
    memset(slots, 0, sizeof(slots));
}

void
log_share_start(int64_t lines_per_minute)
{
    most = lines_per_minute;
    ends_ms = clock_steady_ms() + MINUTE_MS;
}
