/* SPDX-License-Identifier: Apache-2.0 */
#include "store/listener.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "store/connection.h"

/* A silent connection is proven alive every PROBE_MS; the answer may take ANSWER_MS (and a second of grace). */
enum { PROBE_MS = 2000, ANSWER_MS = 1000, BACKOFF_FIRST_MS = 50, BACKOFF_MOST_MS = 2000 };

struct listener {
    char *dsn, *channel;
    void (*on_notify)(void *owner, str payload);
    void (*on_state)(void *owner, bool connected);
    void *owner;
    pthread_t thread;
    bool is_running;
    int stop_fd;
    atomic_bool stop;
};

/* True when the listener must stop. */
static bool
sleep_unless_stopped(struct listener *listener, int ms)
{
    struct pollfd stop = { .fd = listener->stop_fd, .events = POLLIN };
    poll(&stop, 1, ms);
    return atomic_load(&listener->stop);
}

static bool
exec_ok(struct connection *connection, const char *text)
{
    PGresult *result = connection_exec(connection, text);
    bool worked = result != NULL && connection_succeeded(result);
    PQclear(result);
    return worked;
}

static void
deliver(struct listener *listener, struct connection *connection)
{
    for (PGnotify *notify; (notify = PQnotifies(connection->pg)) != NULL; PQfreemem(notify))
        listener->on_notify(listener->owner, str_from(notify->extra));
}

/* Until the connection is lost or the listener must stop. */
static void
hear(struct listener *listener, struct connection *connection)
{
    int64_t proven_ms = clock_steady_ms();
    while (!atomic_load(&listener->stop)) {
        deliver(listener, connection);
        int64_t left = proven_ms + PROBE_MS - clock_steady_ms();
        struct pollfd fds[2] = { { .fd = listener->stop_fd, .events = POLLIN },
                                 { .fd = PQsocket(connection->pg), .events = POLLIN } };
        if (left > 0)
            poll(fds, 2, (int)left);
        if (fds[1].revents != 0 && PQconsumeInput(connection->pg) == 0)
            return;
        if (left <= 0) {
            if (!exec_ok(connection, "SELECT 1"))
                return;
            proven_ms = clock_steady_ms();
        }
    }
}

static void *
run(void *context)
{
    struct listener *listener = context;
    char listen[128];
    snprintf(listen, sizeof(listen), "LISTEN %s", listener->channel);
    int failures = 0;
    while (!atomic_load(&listener->stop)) {
        struct connection *connection = connection_open(listener->dsn, NULL, ANSWER_MS);
        if (connection != NULL && exec_ok(connection, listen)) {
            failures = 0;
            listener->on_state(listener->owner, true);
            hear(listener, connection);
            listener->on_state(listener->owner, false);
        }
        connection_close(connection);
        if (sleep_unless_stopped(listener,
                                 (int)backoff_ms((struct backoff){ BACKOFF_FIRST_MS, BACKOFF_MOST_MS }, failures++)))
            break;
    }
    return NULL;
}

struct listener *
listener_new(const char *dsn, const char *channel, void (*on_notify)(void *owner, str payload),
             void (*on_state)(void *owner, bool connected), void *owner)
{
    struct listener *listener = calloc(1, sizeof(*listener));
    if (listener == NULL)
        return NULL;
    *listener = (struct listener){ .dsn = strdup(dsn),
                                   .channel = strdup(channel),
                                   .on_notify = on_notify,
                                   .on_state = on_state,
                                   .owner = owner,
                                   .stop_fd = eventfd(0, EFD_CLOEXEC) };
    if (listener->dsn != NULL && listener->channel != NULL && listener->stop_fd >= 0)
        listener->is_running = pthread_create(&listener->thread, NULL, run, listener) == 0;
    if (!listener->is_running) {
        listener_free(listener);
        return NULL;
    }
    return listener;
}

void
listener_free(struct listener *listener)
{
    if (listener == NULL)
        return;
    atomic_store(&listener->stop, true);
    if (listener->is_running) {
        uint64_t one = 1;
        if (write(listener->stop_fd, &one, sizeof(one)) == sizeof(one))
            pthread_join(listener->thread, NULL);
    }
    if (listener->stop_fd >= 0)
        close(listener->stop_fd);
    free(listener->dsn);
    free(listener->channel);
    free(listener);
}
