/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stores of measurements: VictoriaMetrics, or what speaks as it does. Each holds every point, and none knows of the others.
 *
 * A store that does not answer is left alone for a while, so that threads do not wait for it one after another; then one of them
 * tries it. Everything here blocks: only for threads.
 */
#ifndef MONITOR_STORES_H
#define MONITOR_STORES_H

#include "base/error.h"
#include "monitor/http.h"

enum { MONITOR_MAX_STORES = 4 };

struct monitor_stores;

/* The urls are the caller's for as long as it lives. NULL without memory. */
MUST_USE struct monitor_stores *monitor_stores_new(const char *const *urls, size_t count,
                                                   const struct monitor_http *http);
void monitor_stores_free(struct monitor_stores *stores); /* NULL is allowed */

/* NULL: 0. */
size_t monitor_stores_count(const struct monitor_stores *stores);

/*
 * Which process the store is: another text after each of its starts. Asked for before what it answers for, and at most some seconds
 * old, so that it is never that of a process that is younger than an answer. False when the store is away.
 */
MUST_USE bool monitor_started(struct monitor_stores *stores, struct arena *arena, size_t store, str *ret_started,
                              str *ret_why);

/* Influx lines with times in ms. True: the store has taken them, and `ret_started` is what it was before. */
MUST_USE bool monitor_write(struct monitor_stores *stores, struct arena *arena, size_t store, str lines,
                            str *ret_started, str *ret_why);

/* A form to a path of the store's API; true when it answered 200 and all of the answer was taken. */
struct monitor_question {
    const char *path;
    str form;
    bool (*take)(void *context, str bytes);
    void *context;
};
MUST_USE bool monitor_ask(struct monitor_stores *stores, struct arena *arena, size_t store,
                          const struct monitor_question *question, str *ret_why);
/*
 * What a tenant wants to know: the status, whatever it is, or 0 without any. A store that takes too long over it, or fails, is not
 * taken for one that is away: others would pay for it.
 */
MUST_USE int monitor_ask_for_tenant(struct monitor_stores *stores, struct arena *arena, size_t store,
                                    const struct monitor_question *question);

#endif
