/* SPDX-License-Identifier: Apache-2.0 */
#include "http/bell.h"

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

struct bell {
    struct listener *listener;
    bell_news *news;
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
ring(struct bell *bell)
{
    uint64_t one = 1;
    ssize_t written = write(bell->fd, &one, sizeof(one));
    (void)written; /* full means that it rings already */
}

/* Who changes something ten times is told once, mostly. */
static bool
was_just_told(const struct bell *bell, id about)
{
    for (size_t i = bell->count; i > 0 && i + LOOKED_BACK > bell->count; i--) {
        if (id_eq(bell->told[i - 1], about))
            return true;
    }
    return false;
}

static void
on_notify(void *owner, str payload)
{
    struct bell *bell = owner;
    id about;
    pthread_mutex_lock(&bell->lock);
    if (!id_parse(payload, &about) || bell->count == TOLD_MAX)
        bell->all = true;
    else if (!was_just_told(bell, about))
        bell->told[bell->count++] = about;
    pthread_mutex_unlock(&bell->lock);
    ring(bell);
}

static void
on_state(void *owner, bool connected)
{
    struct bell *bell = owner;
    atomic_store(&bell->listening, connected);
    pthread_mutex_lock(&bell->lock);
    bell->all = true; /* whatever was told before it listened was not heard */
    pthread_mutex_unlock(&bell->lock);
    ring(bell);
}

/* ---- In the loop ---- */
static void
on_bell(ngx_event_t *event)
{
    struct bell *bell = ((ngx_connection_t *)event->data)->data;
    static id heard[TOLD_MAX]; /* only the loop comes here */
    uint64_t rings;
    ssize_t got = read(bell->fd, &rings, sizeof(rings));
    (void)got;
    pthread_mutex_lock(&bell->lock);
    size_t count = bell->count;
    bool all = bell->all;
    memcpy(heard, bell->told, count * sizeof(id));
    bell->count = 0;
    bell->all = false;
    pthread_mutex_unlock(&bell->lock);
    bell->news(heard, count, all);
}

bool
bell_is_listening(const struct bell *bell)
{
    return atomic_load(&bell->listening);
}

static bool
watch(struct bell *bell)
{
    bell->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bell->watched = bell->fd < 0 ? NULL : ngx_get_connection(bell->fd, ngx_cycle->log);
    if (bell->watched == NULL)
        return false;
    bell->watched->data = bell;
    bell->watched->read->handler = on_bell;
    bell->watched->read->log = bell->watched->write->log = ngx_cycle->log;
    return ngx_add_event(bell->watched->read, NGX_READ_EVENT, NGX_LEVEL_EVENT) == NGX_OK;
}

struct bell *
bell_new(const char *dsn, const char *channel, bell_news *news)
{
    struct bell *bell = calloc(1, sizeof(*bell));
    if (bell == NULL)
        return NULL;
    bell->news = news;
    pthread_mutex_init(&bell->lock, NULL);
    if (watch(bell))
        bell->listener = listener_new(dsn, channel, on_notify, on_state, bell);
    if (bell->listener != NULL)
        return bell;
    bell_free(bell);
    return NULL;
}

void
bell_free(struct bell *bell)
{
    if (bell == NULL)
        return;
    listener_free(bell->listener);
    if (bell->watched != NULL) {
        if (bell->watched->read->active)
            (void)ngx_del_conn(bell->watched, 0);
        bell->watched->fd = (ngx_socket_t)-1;
        ngx_free_connection(bell->watched);
    }
    if (bell->fd >= 0)
        close(bell->fd);
    pthread_mutex_destroy(&bell->lock);
    free(bell);
}
