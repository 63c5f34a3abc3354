/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One exchange with a store of measurements. A store is the operator's own, named in reeve.conf, so its address is not judged.
 * The rest of the folder knows only these types: what uses libcurl is handed in by main/.
 */
#ifndef MONITOR_HTTP_H
#define MONITOR_HTTP_H

#include "base/str.h"

enum { MONITOR_PROBLEM_BYTES = 256 };

struct monitor_exchange {
    const char *url;
    const char *type; /* of the body; NULL: a GET without one */
    str body;
    int64_t limit_ms;
    bool (*take)(void *context, str bytes); /* the answer, as it comes; false ends it */
    void *context;
};

struct monitor_http {
    /* The status, or 0 with a few words when there was none. `connection` is kept for the next exchange with the same store;
     * NULL at first. */
    int (*run)(void **connection, const struct monitor_exchange *exchange, char ret_problem[MONITOR_PROBLEM_BYTES]);
    void (*close)(void *connection);
};

extern const struct monitor_http monitor_http;

#endif
