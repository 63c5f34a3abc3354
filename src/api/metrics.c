/* SPDX-License-Identifier: Apache-2.0 */
#include "api/metrics.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/metric.h"

/* Upper bounds in microseconds; one more bucket holds what took longer. */
static const int64_t bounds_us[] = { 500,    1000,   2500,   5000,    10000,   25000,   50000,
                                     100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000 };
/* As Prometheus writes them: printing a double is slow and depends on the locale. */
static const char *const bounds_text[] = { "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05",
                                           "0.1",    "0.25",  "0.5",    "1",     "2.5",  "5",     "10" };
_Static_assert(LENGTH(bounds_us) == LENGTH(bounds_text), "each bound has a text");

/* The statuses that Reeve answers with; the last row stands for all others. */
static const unsigned statuses[] = { 200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408,
                                     409, 412, 413, 414, 415, 422, 429, 431, 500, 501, 503, 0 };

enum { BUCKETS = LENGTH(bounds_us) + 1, STATUSES = LENGTH(statuses), PLACES = 256 };

struct operation_counters {
    _Atomic uint64_t by_status[STATUSES];
    _Atomic uint64_t buckets[BUCKETS]; /* not cumulative: one addition a request */
    _Atomic uint64_t sum_us;
};

struct place {
    _Atomic int pid; /* 0: free */
    _Atomic int transactions_open, transactions_max, transactions_waiting;
    _Atomic int threads_busy, requests_open;
    _Atomic int redis_up, listening, pipeline_ready;
};

struct metrics {
    size_t bytes, operations;
    _Atomic uint64_t denials[SET_COUNT];
    struct place places[PLACES];
    struct operation_counters counters[]; /* the last one: no operation */
};

struct metrics *
metrics_new(size_t operations)
{
    size_t bytes = sizeof(struct metrics) + (operations + 1) * sizeof(struct operation_counters);
    struct metrics *metrics = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (metrics == MAP_FAILED)
        return NULL;
    metrics->bytes = bytes;
    metrics->operations = operations;
    return metrics;
}

void
metrics_free(struct metrics *metrics)
{
    if (metrics != NULL)
        (void)munmap(metrics, metrics->bytes);
}

/* ---- Counting ---- */

static void
add(_Atomic uint64_t *counter, uint64_t amount)
{
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static uint64_t
load(_Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void
metrics_count_request(struct metrics *metrics, size_t operation, unsigned status, int64_t duration_us)
{
    if (metrics == NULL)
        return;
    struct operation_counters *counters =
        &metrics->counters[operation < metrics->operations ? operation : metrics->operations];
    size_t row = 0;
    while (row < STATUSES - 1 && statuses[row] != status)
        row++;
    size_t bucket = 0;
    while (bucket < BUCKETS - 1 && duration_us > bounds_us[bucket])
        bucket++;
    add(&counters->by_status[row], 1);
    add(&counters->buckets[bucket], 1);
    add(&counters->sum_us, duration_us > 0 ? (uint64_t)duration_us : 0);
}

void
metrics_count_denial(struct metrics *metrics, enum set_label set)
{
    if (metrics != NULL && (size_t)set < SET_COUNT)
        add(&metrics->denials[set], 1);
}

/* ---- Gauges ---- */

static bool
is_alive(int pid)
{
    return pid != 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

int
metrics_join(struct metrics *metrics)
{
    for (int i = 0; metrics != NULL && i < PLACES; i++) {
        struct place *place = &metrics->places[i];
        int owner = atomic_load(&place->pid);
        if (is_alive(owner) && owner != (int)getpid())
            continue;
        if (atomic_compare_exchange_strong(&place->pid, &owner, (int)getpid())) {
            metrics_set_gauges(metrics, i, &(struct gauges){ 0 });
            return i;
        }
    }
    return -1;
}

void
metrics_leave(struct metrics *metrics, int place)
{
    if (metrics != NULL && place >= 0 && place < PLACES)
        atomic_store(&metrics->places[place].pid, 0);
}

void
metrics_set_gauges(struct metrics *metrics, int place, const struct gauges *gauges)
{
    if (metrics == NULL || place < 0 || place >= PLACES)
        return;
    struct place *mine = &metrics->places[place];
    atomic_store(&mine->transactions_open, gauges->transactions_open);
    atomic_store(&mine->transactions_max, gauges->transactions_max);
    atomic_store(&mine->transactions_waiting, gauges->transactions_waiting);
    atomic_store(&mine->threads_busy, gauges->threads_busy);
    atomic_store(&mine->requests_open, gauges->requests_open);
    atomic_store(&mine->redis_up, gauges->redis_up);
    atomic_store(&mine->listening, gauges->listening);
    atomic_store(&mine->pipeline_ready, gauges->pipeline_ready);
}

static int
sum_gauges(struct metrics *metrics, struct gauges *ret_sum)
{
    int processes = 0;
    *ret_sum = (struct gauges){ 0 };
    for (size_t i = 0; i < PLACES; i++) {
        struct place *place = &metrics->places[i];
        if (!is_alive(atomic_load(&place->pid)))
            continue;
        processes++;
        ret_sum->transactions_open += atomic_load(&place->transactions_open);
        ret_sum->transactions_max += atomic_load(&place->transactions_max);
        ret_sum->transactions_waiting += atomic_load(&place->transactions_waiting);
        ret_sum->threads_busy += atomic_load(&place->threads_busy);
        ret_sum->requests_open += atomic_load(&place->requests_open);
        ret_sum->redis_up += atomic_load(&place->redis_up);
        ret_sum->listening += atomic_load(&place->listening);
        ret_sum->pipeline_ready += atomic_load(&place->pipeline_ready);
    }
    return processes;
}

/* ---- Exposition ---- */

static void
add_gauge(struct buf *out, enum metric metric, int value)
{
    metric_begin(out, metric);
    buf_format(out, "%s %d\n", metric_rows[metric].name, value);
}

static bool
is_used(struct operation_counters *counters)
{
    for (size_t row = 0; row < STATUSES; row++) {
        if (load(&counters->by_status[row]) > 0)
            return true;
    }
    return false;
}

static void
add_requests(struct buf *out, const char *operation, struct operation_counters *counters)
{
    for (size_t row = 0; row < STATUSES; row++) {
        uint64_t count = load(&counters->by_status[row]);
        if (count == 0)
            continue;
        buf_format(out, "reeve_http_requests_total{operation=\"%s\",status=\"", operation);
        if (statuses[row] == 0)
            buf_add_text(out, "other");
        else
            buf_add_int(out, statuses[row]);
        buf_format(out, "\"} %llu\n", (unsigned long long)count);
    }
}

static void
add_durations(struct buf *out, const char *operation, struct operation_counters *counters)
{
    static const char name[] = "reeve_http_request_duration_seconds";
    uint64_t total = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        total += load(&counters->buckets[i]);
        buf_format(out, "%s_bucket{operation=\"%s\",le=\"%s\"} %llu\n", name, operation,
                   i < LENGTH(bounds_text) ? bounds_text[i] : "+Inf", (unsigned long long)total);
    }
    uint64_t sum_us = load(&counters->sum_us);
    buf_format(out, "%s_sum{operation=\"%s\"} %llu.%06llu\n", name, operation, (unsigned long long)(sum_us / 1000000),
               (unsigned long long)(sum_us % 1000000));
    /* The same total as the last bucket, or a reader would see them disagree. */
    buf_format(out, "%s_count{operation=\"%s\"} %llu\n", name, operation, (unsigned long long)total);
}

static void
add_gauges(struct buf *out, struct metrics *metrics)
{
    struct gauges sum;
    int processes = sum_gauges(metrics, &sum);
    add_gauge(out, METRIC_PROCESSES, processes);
    metric_begin(out, METRIC_POOL_CONNECTIONS);
    buf_format(out, "reeve_pool_connections{state=\"in_use\"} %d\n", sum.transactions_open);
    buf_format(out, "reeve_pool_connections{state=\"max\"} %d\n", sum.transactions_max);
    add_gauge(out, METRIC_POOL_WAITING, sum.transactions_waiting);
    add_gauge(out, METRIC_THREADS_BUSY, sum.threads_busy);
    add_gauge(out, METRIC_REQUESTS_OPEN, sum.requests_open);
    add_gauge(out, METRIC_REDIS_UP, processes > 0 && sum.redis_up == processes);
    add_gauge(out, METRIC_INVALIDATIONS, processes > 0 && sum.listening == processes);
    add_gauge(out, METRIC_READ_PIPELINES, sum.pipeline_ready);
}

str
metrics_text(struct metrics *metrics, struct arena *arena, const char *(*name_of)(const void *context, size_t index),
             const void *context)
{
    struct buf out = buf_in(arena, METRICS_MAX_BYTES);
    metric_begin(&out, METRIC_BUILD_INFO);
    buf_add_text(&out, "reeve_build_info{version=\"" REEVE_VERSION "\"} 1\n");
    metric_begin(&out, METRIC_HTTP_REQUESTS);
    for (size_t i = 0; i <= metrics->operations; i++)
        add_requests(&out, i < metrics->operations ? name_of(context, i) : "", &metrics->counters[i]);
    metric_begin(&out, METRIC_HTTP_DURATION);
    for (size_t i = 0; i <= metrics->operations; i++) {
        if (is_used(&metrics->counters[i]))
            add_durations(&out, i < metrics->operations ? name_of(context, i) : "", &metrics->counters[i]);
    }
    metric_begin(&out, METRIC_RATE_LIMIT_DENIED);
    for (size_t i = 0; i < SET_COUNT; i++) {
        uint64_t count = load(&metrics->denials[i]);
        if (count > 0)
            buf_format(&out, "reeve_rate_limit_denied_total{set=\"%s\"} %llu\n", set_rows[i].label,
                       (unsigned long long)count);
    }
    add_gauges(&out, metrics);
    return buf_str(&out);
}
