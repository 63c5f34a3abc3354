/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/redis_link.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/steady_cond.h"

enum { POOL_SIZE = 4, DEFAULT_TIMEOUT_MS = 50, DEFAULT_PORT = 6379 };

struct place {
    char *socket, *host;
    int port;
};

struct redis_link {
    struct place *places; /* the first that answers is used */
    size_t place_count;
    int timeout_ms;

    pthread_mutex_t mutex;
    pthread_cond_t freed;   /* a connection, or the hope for one: for requests */
    pthread_cond_t changed; /* the mode or `stopping`: for the background thread, which a request must not wake */
    _Atomic link_mode mode; /* written under the mutex, read anywhere */
    redisContext *idle[POOL_SIZE];
    int idle_count;
    bool stopping;

    redisContext *own; /* this and the next are touched by the background thread alone */
    size_t used;       /* the number of the place that the link is up at */
};

static struct timeval
timeval_of_ms(int64_t milliseconds)
{
    return (struct timeval){ .tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000 };
}

static void
free_places(struct redis_link *link)
{
    for (size_t i = 0; i < link->place_count; i++) {
        free(link->places[i].socket);
        free(link->places[i].host);
    }
    free(link->places);
}

static bool
add_place(struct redis_link *link, struct redis_place wanted)
{
    struct place *place = &link->places[link->place_count++];
    place->port = wanted.port > 0 ? wanted.port : DEFAULT_PORT;
    if (wanted.socket != NULL)
        place->socket = strdup(wanted.socket);
    else
        place->host = strdup(wanted.host != NULL ? wanted.host : "127.0.0.1");
    return place->socket != NULL || place->host != NULL;
}

struct redis_link *
redis_link_new(const struct limit_config *config)
{
    struct redis_link *link = calloc(1, sizeof(*link));
    if (link == NULL)
        return NULL;
    link->timeout_ms = config->redis_timeout_ms > 0 ? config->redis_timeout_ms : DEFAULT_TIMEOUT_MS;
    link->places = calloc(1 + config->other_count, sizeof(*link->places));
    bool has_places =
        link->places != NULL &&
        add_place(link, (struct redis_place){ config->redis_socket, config->redis_host, config->redis_port });
    for (size_t i = 0; has_places && i < config->other_count; i++)
        has_places = add_place(link, config->others[i]);
    if (!has_places) {
        free_places(link);
        free(link);
        return NULL;
    }
    pthread_mutex_init(&link->mutex, NULL);
    steady_cond_init(&link->freed);
    steady_cond_init(&link->changed);
    atomic_init(&link->mode, LINK_STARTING);
    return link;
}

static void
close_idle(struct redis_link *link)
{
    while (link->idle_count > 0)
        redisFree(link->idle[--link->idle_count]);
}

void
redis_link_free(struct redis_link *link)
{
    if (link == NULL)
        return;
    close_idle(link);
    redisFree(link->own);
    pthread_cond_destroy(&link->freed);
    pthread_cond_destroy(&link->changed);
    pthread_mutex_destroy(&link->mutex);
    free_places(link);
    free(link);
}

link_mode
redis_link_mode(struct redis_link *link)
{
    return atomic_load_explicit(&link->mode, memory_order_acquire);
}

int
redis_link_timeout_ms(const struct redis_link *link)
{
    return link->timeout_ms;
}

/* With the mutex held. */
static void
enter(struct redis_link *link, enum link_state state)
{
    link_mode next = ((redis_link_mode(link) >> 2) + 1) << 2 | (link_mode)state;
    atomic_store_explicit(&link->mode, next, memory_order_release);
    pthread_cond_broadcast(&link->freed);
    pthread_cond_broadcast(&link->changed);
}

void
redis_link_lose(struct redis_link *link, link_mode seen, const char *why)
{
    pthread_mutex_lock(&link->mutex);
    bool is_news = redis_link_mode(link) == seen && link_state_of(seen) != LINK_DOWN;
    if (is_news) {
        close_idle(link);
        enter(link, LINK_DOWN);
    }
    pthread_mutex_unlock(&link->mutex);
    if (is_news)
        log_line(LOG_WARNING, "redis_lost", "Rate limits are kept per process until Redis is back: %s.", why);
}

const char *
redis_link_failure(const redisContext *context)
{
    /* hiredis passes the bare errno text on, and "Resource temporarily unavailable" tells an operator nothing. */
    bool is_timeout = context->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
    return is_timeout ? "no answer within the time-out" : context->errstr;
}

bool
redis_link_borrow(struct redis_link *link, int64_t deadline_ms, struct redis_connection *ret_connection)
{
    bool has_waited = false;
    pthread_mutex_lock(&link->mutex);
    link_mode mode = redis_link_mode(link);
    while (link_state_of(mode) == LINK_STARTING || (link_state_of(mode) == LINK_UP && link->idle_count == 0)) {
        has_waited = true;
        bool in_time = steady_cond_wait(&link->freed, &link->mutex, deadline_ms);
        link_mode seen = mode;
        mode = redis_link_mode(link);
        if (!in_time && (link_state_of(mode) == LINK_STARTING || link->idle_count == 0)) {
            pthread_mutex_unlock(&link->mutex);
            redis_link_lose(link, seen, "no connection became free within the time-out");
            return false;
        }
    }
    if (link_state_of(mode) == LINK_DOWN) {
        pthread_mutex_unlock(&link->mutex);
        return false;
    }
    *ret_connection = (struct redis_connection){ .context = link->idle[--link->idle_count], .mode = mode };
    pthread_mutex_unlock(&link->mutex);

    /* Waiting and asking together may take one time-out, not one each. */
    if (has_waited) {
        int64_t left_ms = deadline_ms - clock_steady_ms();
        redisSetTimeout(ret_connection->context, timeval_of_ms(left_ms > 1 ? left_ms : 1));
        ret_connection->has_shorter_timeout = true;
    }
    return true;
}

void
redis_link_give_back(struct redis_link *link, struct redis_connection *connection, bool worked)
{
    if (!worked) {
        redis_link_lose(link, connection->mode, connection->why);
        redisFree(connection->context);
        return;
    }
    if (connection->has_shorter_timeout)
        redisSetTimeout(connection->context, timeval_of_ms(link->timeout_ms));
    pthread_mutex_lock(&link->mutex);
    bool is_current = redis_link_mode(link) == connection->mode;
    if (is_current) {
        link->idle[link->idle_count++] = connection->context;
        pthread_cond_signal(&link->freed);
    }
    pthread_mutex_unlock(&link->mutex);
    if (!is_current)
        redisFree(connection->context);
}

static redisContext *
open_at(const struct redis_link *link, const struct place *place, char *ret_why)
{
    struct timeval timeout = timeval_of_ms(link->timeout_ms);
    redisContext *context = place->socket != NULL ? redisConnectUnixWithTimeout(place->socket, timeout)
                                                  : redisConnectWithTimeout(place->host, place->port, timeout);
    if (context != NULL && context->err == 0 && redisSetTimeout(context, timeout) == REDIS_OK) {
        if (place->socket == NULL)
            redisEnableKeepAlive(context);
        return context;
    }
    snprintf(ret_why, LINK_WHY_BYTES, "%s", context != NULL ? context->errstr : "no memory");
    redisFree(context);
    return NULL;
}

redisContext *
redis_link_open(const struct redis_link *link, char *ret_why)
{
    return open_at(link, &link->places[0], ret_why);
}

/* All the connections that a link needs, or none. */
static bool
open_all(const struct redis_link *link, const struct place *place, link_prepare *prepare, void *argument,
         redisContext *ret_fresh[POOL_SIZE + 1], char *ret_why)
{
    int count = 0;
    while (count < POOL_SIZE + 1) {
        ret_fresh[count] = open_at(link, place, ret_why);
        if (ret_fresh[count] == NULL)
            break;
        /* A socket accepts connections for a Redis that is stopped or still loading: only an answer counts. */
        if (count++ == 0 && !prepare(argument, ret_fresh[0], ret_why))
            break;
    }
    if (count == POOL_SIZE + 1)
        return true;
    while (count > 0)
        redisFree(ret_fresh[--count]);
    return false;
}

bool
redis_link_connect(struct redis_link *link, link_prepare *prepare, void *argument)
{
    redisContext *fresh[POOL_SIZE + 1];
    char why[LINK_WHY_BYTES] = "";
    int count = POOL_SIZE + 1;
    size_t which = 0;
    link_mode mode = redis_link_mode(link);
    redisFree(link->own);
    link->own = NULL;
    while (which < link->place_count && !open_all(link, &link->places[which], prepare, argument, fresh, why))
        which++;
    if (which == link->place_count) {
        redis_link_lose(link, mode, why);
        return false;
    }

    link->used = which;
    pthread_mutex_lock(&link->mutex);
    bool was_lost = link_state_of(redis_link_mode(link)) == LINK_DOWN;
    link->own = fresh[--count];
    close_idle(link);
    while (count > 0)
        link->idle[link->idle_count++] = fresh[--count];
    enter(link, LINK_UP);
    pthread_mutex_unlock(&link->mutex);
    if (was_lost)
        log_line(LOG_INFO, "redis_back", "Rate limits are shared between the nodes again.");
    return true;
}

bool
redis_link_could_be_better(struct redis_link *link, link_prepare *prepare, void *argument)
{
    char why[LINK_WHY_BYTES];
    bool answers = false;
    for (size_t i = 0; i < link->used && !answers; i++) {
        redisContext *context = open_at(link, &link->places[i], why);
        answers = context != NULL && prepare(argument, context, why);
        redisFree(context);
    }
    return answers;
}

redisContext *
redis_link_own(struct redis_link *link)
{
    return link_state_of(redis_link_mode(link)) == LINK_UP ? link->own : NULL;
}

void
redis_link_ping_idle(struct redis_link *link)
{
    struct redis_connection connections[POOL_SIZE];
    int count = 0;
    /* All at once, since one that is given back would be the next to be borrowed. */
    pthread_mutex_lock(&link->mutex);
    while (link->idle_count > 0)
        connections[count++] =
            (struct redis_connection){ .context = link->idle[--link->idle_count], .mode = redis_link_mode(link) };
    pthread_mutex_unlock(&link->mutex);
    while (count > 0) {
        struct redis_connection *connection = &connections[--count];
        /* Once Redis is lost there is no point in waiting for the others, one time-out after the other. */
        if (redis_link_mode(link) != connection->mode) {
            redis_link_give_back(link, connection, true);
            continue;
        }
        redisReply *reply = redisCommand(connection->context, "PING");
        if (reply == NULL)
            snprintf(connection->why, sizeof(connection->why), "%s", redis_link_failure(connection->context));
        redis_link_give_back(link, connection, reply != NULL);
        freeReplyObject(reply);
    }
}

bool
redis_link_sleep(struct redis_link *link, link_mode seen, int64_t milliseconds)
{
    int64_t deadline_ms = clock_steady_ms() + milliseconds;
    pthread_mutex_lock(&link->mutex);
    while (!link->stopping && redis_link_mode(link) == seen)
        if (!steady_cond_wait(&link->changed, &link->mutex, deadline_ms))
            break;
    bool goes_on = !link->stopping;
    pthread_mutex_unlock(&link->mutex);
    return goes_on;
}

void
redis_link_stop(struct redis_link *link)
{
    pthread_mutex_lock(&link->mutex);
    link->stopping = true;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->mutex);
}
