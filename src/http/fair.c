/* SPDX-License-Identifier: Apache-2.0 */
#include "http/fair.h"

#include <stdlib.h>

#include "http/worker.h"

/*
 * The loop's connection answers in the order in which it was asked, so what one caller has under way there is what others stand
 * behind: 64 reads of one entity are two milliseconds. A place is worth one such read; a list costs more (api_places()).
 * All together stay below what the pipeline holds.
 */
enum { READS = 512, READS_OF_A_LANE = 64, READS_WAITING = 4096, BUCKETS = 1024 };

struct lane {
    struct lane *next; /* in its bucket, or in the list of spare ones */
    uint64_t key;
    struct {
        int used; /* cost of what is under way */
        int waiting_count;
        ngx_queue_t waiting; /* of exchanges */
        ngx_queue_t turn;    /* among the lanes that may go on; linked to itself: it is not there */
    } of[FAIR_KINDS];
};

static struct {
    int used, most, of_a_lane;
    int waiting, waiting_most;
    ngx_queue_t turns; /* lanes with somebody who waits and whose share is not used up */
} places[FAIR_KINDS];
static struct lane *buckets[BUCKETS], *spare;

/* ---- Lanes ---- */
static uint64_t
hash_bytes(const uint8_t *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static uint64_t
key_of(const struct request *req)
{
    enum { V6_PREFIX_BYTES = 8 }; /* somebody with one IPv6 address has all of its /64 */
    static const uint8_t v4_prefix[12] = { [10] = 0xFF, [11] = 0xFF };
    const uint8_t *address = req->in.client.bytes;
    if (req->caller != NULL)
        return id_hash(id_or(req->caller->organization, req->caller->id));
    bool is_v4 = memcmp(address, v4_prefix, sizeof(v4_prefix)) == 0;
    return hash_bytes(address, is_v4 ? sizeof(req->in.client.bytes) : V6_PREFIX_BYTES);
}

static struct lane **
find_lane(uint64_t key)
{
    struct lane **at = &buckets[(key >> 32) % BUCKETS]; /* the low bits of ids hardly differ within a cell */
    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static struct lane *
lane_of(uint64_t key)
{
    struct lane **at = find_lane(key);
    if (*at != NULL)
        return *at;
    struct lane *lane = spare;
    if (lane != NULL)
        spare = lane->next;
    else if ((lane = malloc(sizeof(*lane))) == NULL)
        return NULL;
    *lane = (struct lane){ .key = key };
    for (int kind = 0; kind < FAIR_KINDS; kind++) {
        ngx_queue_init(&lane->of[kind].waiting);
        ngx_queue_init(&lane->of[kind].turn);
    }
    *at = lane;
    return lane;
}

static void
drop_lane_if_idle(struct lane *lane)
{
    for (int kind = 0; kind < FAIR_KINDS; kind++) {
        if (lane->of[kind].used > 0 || lane->of[kind].waiting_count > 0)
            return;
    }
    *find_lane(lane->key) = lane->next;
    lane->next = spare;
    spare = lane;
}

/* ---- Places ---- */

/* Whoever has nothing under way may go on, however much it costs. */
static bool
has_room(const struct lane *lane, enum fair_kind kind, int cost)
{
    return lane->of[kind].used == 0 || lane->of[kind].used + cost <= places[kind].of_a_lane;
}

static void
take_place(struct exchange *x)
{
    struct lane *lane = x->fair.lane;
    x->fair.has_place = true;
    lane->of[x->fair.kind].used += x->fair.cost;
    places[x->fair.kind].used += x->fair.cost;
}

/* The first of the lane has a turn when the lane's share has room for it. */
static void
stand_in_turn(struct lane *lane, enum fair_kind kind)
{
    ngx_queue_t *line = &lane->of[kind].waiting, *turn = &lane->of[kind].turn;
    bool stands = ngx_queue_next(turn) != turn, wants = false;
    if (!ngx_queue_empty(line)) {
        const struct exchange *first = ngx_queue_data(ngx_queue_head(line), struct exchange, fair.link);
        wants = has_room(lane, kind, first->fair.cost);
    }
    if (wants && !stands) {
        ngx_queue_insert_tail(&places[kind].turns, turn);
    } else if (!wants && stands) {
        ngx_queue_remove(turn);
        ngx_queue_init(turn);
    }
}

/* ---- Waiting ---- */

/* Of HTTP/2, a client that takes its request back is heard; nginx then ends it, and fair_forget() is called. On HTTP/1 the
 * connection carries one request at a time, and a client may have closed its own half of it. */
static void
begin_waiting(struct exchange *x)
{
    struct lane *lane = x->fair.lane;
    x->fair.is_waiting = true;
    ngx_queue_insert_tail(&lane->of[x->fair.kind].waiting, &x->fair.link);
    lane->of[x->fair.kind].waiting_count++;
    places[x->fair.kind].waiting++;
    if (x->r->stream == NULL) {
        exchange_hold(x);
        return;
    }
    x->r->read_event_handler = ngx_http_test_reading;
    worker_request_begins();
}

static void
end_waiting(struct exchange *x)
{
    struct lane *lane = x->fair.lane;
    x->fair.is_waiting = false;
    ngx_queue_remove(&x->fair.link);
    lane->of[x->fair.kind].waiting_count--;
    places[x->fair.kind].waiting--;
    if (x->held)
        exchange_release(x);
    else
        worker_request_ends();
}

static void
dispatch(enum fair_kind kind)
{
    while (places[kind].used < places[kind].most && !ngx_queue_empty(&places[kind].turns)) {
        ngx_queue_t *turn = ngx_queue_head(&places[kind].turns);
        struct lane *lane =
            (struct lane *)((char *)turn - offsetof(struct lane, of[0].turn) - (size_t)kind * sizeof(lane->of[0]));
        struct exchange *x = ngx_queue_data(ngx_queue_head(&lane->of[kind].waiting), struct exchange, fair.link);
        end_waiting(x);
        take_place(x);
        ngx_queue_remove(turn);
        ngx_queue_init(turn);
        stand_in_turn(lane, kind);
        x->fair.go(x);
    }
}

bool
fair_enter(struct exchange *x, enum fair_kind kind, int cost, void (*go)(struct exchange *x))
{
    struct lane *lane = lane_of(key_of(x->request));
    if (lane == NULL)
        return false;
    x->fair.lane = lane;
    x->fair.kind = kind;
    x->fair.cost = cost;
    x->fair.go = go;
    if (ngx_queue_empty(&lane->of[kind].waiting) && has_room(lane, kind, cost) &&
        places[kind].used < places[kind].most) {
        take_place(x);
        go(x);
        return true;
    }
    if (lane->of[kind].waiting_count >= places[kind].waiting_most - places[kind].waiting) {
        x->fair.lane = NULL;
        drop_lane_if_idle(lane);
        return false;
    }
    begin_waiting(x);
    stand_in_turn(lane, kind);
    return true;
}

void
fair_leave(struct exchange *x)
{
    struct lane *lane = x->fair.lane;
    enum fair_kind kind = x->fair.kind;
    if (!x->fair.has_place)
        return;
    x->fair.has_place = false;
    x->fair.lane = NULL;
    lane->of[kind].used -= x->fair.cost;
    places[kind].used -= x->fair.cost;
    stand_in_turn(lane, kind);
    drop_lane_if_idle(lane);
    dispatch(kind);
}

void
fair_forget(struct exchange *x)
{
    struct lane *lane = x->fair.lane;
    if (x->fair.is_waiting) {
        end_waiting(x);
        x->fair.lane = NULL;
        stand_in_turn(lane, x->fair.kind);
        drop_lane_if_idle(lane);
    }
    fair_leave(x);
}

unsigned
fair_waiting(void)
{
    int count = 0;
    for (int kind = 0; kind < FAIR_KINDS; kind++)
        count += places[kind].waiting;
    return (unsigned)count;
}

/* ---- With the process ---- */
static void
set_places(enum fair_kind kind, int most, int of_a_lane, int waiting_most)
{
    places[kind].used = places[kind].waiting = 0;
    places[kind].most = most;
    places[kind].waiting_most = waiting_most;
    places[kind].of_a_lane = of_a_lane < 1 ? 1 : of_a_lane;
    ngx_queue_init(&places[kind].turns);
}

void
fair_start(const struct fair_limits *limits)
{
    set_places(FAIR_READ, READS, READS_OF_A_LANE, READS_WAITING);
    set_places(FAIR_THREAD, limits->threads, limits->threads * limits->share / 100, limits->waiting);
    set_places(FAIR_LARGE, limits->large, limits->large * limits->share / 100, limits->waiting);
    set_places(FAIR_STORES, limits->tools, limits->tools / 2, limits->waiting);
}
