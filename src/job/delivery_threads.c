/* SPDX-License-Identifier: Apache-2.0 */
#include "job/delivery_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/steady_cond.h"
#include "store/listener.h"

enum { IDLE_MS = 1000, BACKOFF_MOST_MS = 5 * 60 * 1000, THREADS_MAX = 64 };

struct delivery_threads {
    delivery_turn *take;
    void *context;
    struct listener *listener;
    pthread_mutex_t lock;
    pthread_cond_t news;
    uint64_t news_count;
    atomic_bool stop;
    int running;
    pthread_t threads[THREADS_MAX];
};

int64_t
delivery_threads_backoff_ms(int64_t failures)
{
    return backoff_ms((struct backoff){ DELIVERY_BACKOFF_FIRST_MS, BACKOFF_MOST_MS }, failures);
}

static void
on_notify(void *owner, str payload)
{
    (void)payload;
    struct delivery_threads *turns = owner;
    pthread_mutex_lock(&turns->lock);
    turns->news_count++;
    pthread_cond_broadcast(&turns->news);
    pthread_mutex_unlock(&turns->lock);
}

static void
on_state(void *owner, bool connected)
{
    (void)connected;
    on_notify(owner, STR_EMPTY);
}

static void
wait_for_news(struct delivery_threads *turns, uint64_t seen)
{
    int64_t deadline_ms = clock_steady_ms() + IDLE_MS;
    pthread_mutex_lock(&turns->lock);
    while (turns->news_count == seen && !atomic_load(&turns->stop)) {
        if (!steady_cond_wait(&turns->news, &turns->lock, deadline_ms))
            break;
    }
    pthread_mutex_unlock(&turns->lock);
}

static void *
run(void *context)
{
    struct delivery_threads *turns = context;
    while (!atomic_load(&turns->stop)) {
        pthread_mutex_lock(&turns->lock);
        uint64_t seen = turns->news_count;
        pthread_mutex_unlock(&turns->lock);
        if (!turns->take(turns->context))
            wait_for_news(turns, seen);
    }
    return NULL;
}

struct delivery_threads *
delivery_threads_new(const char *dsn, const char *channel, int threads, delivery_turn *take, void *context)
{
    struct delivery_threads *turns = calloc(1, sizeof(*turns));
    if (turns == NULL)
        return NULL;
    turns->take = take;
    turns->context = context;
    steady_cond_init(&turns->news);
    pthread_mutex_init(&turns->lock, NULL);
    turns->listener = listener_new(dsn, channel, on_notify, on_state, turns);
    for (int i = 0; turns->listener != NULL && i < threads && i < THREADS_MAX; i++)
        turns->running += pthread_create(&turns->threads[turns->running], NULL, run, turns) == 0;
    if (turns->running == 0) {
        delivery_threads_free(turns);
        return NULL;
    }
    return turns;
}

void
delivery_threads_free(struct delivery_threads *turns)
{
    if (turns == NULL)
        return;
    pthread_mutex_lock(&turns->lock);
    atomic_store(&turns->stop, true);
    pthread_cond_broadcast(&turns->news);
    pthread_mutex_unlock(&turns->lock);
    for (int i = 0; i < turns->running; i++)
        pthread_join(turns->threads[i], NULL);
    listener_free(turns->listener);
    pthread_cond_destroy(&turns->news);
    pthread_mutex_destroy(&turns->lock);
    free(turns);
}
