/* SPDX-License-Identifier: Apache-2.0 */
#include "http/loop_listener.h"

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "store/listener.h"

enum { TOLD_MAX = 2048, LOOKED_BACK = 16 };

struct loop_listener {
    struct listener *listener;
    loop_listener_news *news;
    ngx_connection_t *watched; /* an eventfd in the loop */
    int fd;
    atomic_bool listening;
    pthread_mutex_t lock; /* guards what follows: the listener's thread writes it, the loop takes it */
    bool all;             /* more than fit, or some may have been missed */
    size_t count;
    id told[TOLD_MAX];
};

/* ---- On the listener's thread ---- */
static void
wake_loop(struct loop_listener *loop)
{
    uint64_t one = 1;
    ssize_t written = write(loop->fd, &one, sizeof(one));
    (void)written; /* full means that it rings already */
}

/* Who changes something ten times is told once, mostly. */
static bool
was_just_told(const struct loop_listener *loop, id about)
{
    for (size_t i = loop->count; i > 0 && i + LOOKED_BACK > loop->count; i--) {
        if (id_eq(loop->told[i - 1], about))
            return true;
    }
    return false;
}

static void
on_notify(void *owner, str payload)
{
    struct loop_listener *loop = owner;
    id about;
    pthread_mutex_lock(&loop->lock);
    if (!id_parse(payload, &about) || loop->count == TOLD_MAX)
        loop->all = true;
    else if (!was_just_told(loop, about))
        loop->told[loop->count++] = about;
    pthread_mutex_unlock(&loop->lock);
    wake_loop(loop);
}

static void
on_state(void *owner, bool connected)
{
    struct loop_listener *loop = owner;
    atomic_store(&loop->listening, connected);
    pthread_mutex_lock(&loop->lock);
    loop->all = true; /* whatever was told before it listened was not heard */
    pthread_mutex_unlock(&loop->lock);
    wake_loop(loop);
}

/* ---- In the loop ---- */
static void
on_bell(ngx_event_t *event)
{
    struct loop_listener *loop = ((ngx_connection_t *)event->data)->data;
    static id heard[TOLD_MAX]; /* only the loop comes here */
    uint64_t rings;
    ssize_t got = read(loop->fd, &rings, sizeof(rings));
    (void)got;
    pthread_mutex_lock(&loop->lock);
    size_t count = loop->count;
    bool all = loop->all;
    memcpy(heard, loop->told, count * sizeof(id));
    loop->count = 0;
    loop->all = false;
    pthread_mutex_unlock(&loop->lock);
    loop->news(heard, count, all);
}

bool
loop_listener_is_listening(const struct loop_listener *loop)
{
    return atomic_load(&loop->listening);
}

static bool
watch(struct loop_listener *loop)
{
    loop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop->watched = loop->fd < 0 ? NULL : ngx_get_connection(loop->fd, ngx_cycle->log);
    if (loop->watched == NULL)
        return false;
    loop->watched->data = loop;
    loop->watched->read->handler = on_bell;
    loop->watched->read->log = loop->watched->write->log = ngx_cycle->log;
    return ngx_add_event(loop->watched->read, NGX_READ_EVENT, NGX_LEVEL_EVENT) == NGX_OK;
}

struct loop_listener *
loop_listener_new(const char *dsn, const char *channel, loop_listener_news *news)
{
    struct loop_listener *loop = calloc(1, sizeof(*loop));
    if (loop == NULL)
        return NULL;
    loop->news = news;
    pthread_mutex_init(&loop->lock, NULL);
    if (watch(loop))
        loop->listener = listener_new(dsn, channel, on_notify, on_state, loop);
    if (loop->listener != NULL)
        return loop;
    loop_listener_free(loop);
    return NULL;
}

void
loop_listener_free(struct loop_listener *loop)
{
    if (loop == NULL)
        return;
    listener_free(loop->listener);
    if (loop->watched != NULL) {
        if (loop->watched->read->active)
            (void)ngx_del_conn(loop->watched, 0);
        loop->watched->fd = (ngx_socket_t)-1;
        ngx_free_connection(loop->watched);
    }
    if (loop->fd >= 0)
        close(loop->fd);
    pthread_mutex_destroy(&loop->lock);
    free(loop);
}
