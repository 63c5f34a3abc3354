/* SPDX-License-Identifier: Apache-2.0 */
#include "job/news.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/steady_cond.h"
#include "store/listener.h"

enum { REMEMBERED = 512 };

struct news {
    struct listener *listener;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    id subjects[REMEMBERED]; /* number n is at n % REMEMBERED; none: about anything */
    uint64_t told, taken;
    bool stopped;
};

static void
add(struct news *news, id subject)
{
    pthread_mutex_lock(&news->lock);
    news->subjects[news->told++ % REMEMBERED] = subject;
    pthread_cond_signal(&news->changed);
    pthread_mutex_unlock(&news->lock);
}

static void
on_notify(void *owner, str payload)
{
    id subject;
    add(owner, id_parse(payload, &subject) ? subject : ID_NONE);
}

/* What was told between the two was missed. */
static void
on_state(void *owner, bool connected)
{
    if (connected)
        add(owner, ID_NONE);
}

struct news *
news_new(const char *dsn, const char *channel)
{
    struct news *news = calloc(1, sizeof(*news));
    if (news == NULL)
        return NULL;
    steady_cond_init(&news->changed);
    pthread_mutex_init(&news->lock, NULL);
    news->listener = listener_new(dsn, channel, on_notify, on_state, news);
    if (news->listener == NULL) {
        news_free(news);
        return NULL;
    }
    return news;
}

void
news_free(struct news *news)
{
    if (news == NULL)
        return;
    listener_free(news->listener);
    pthread_cond_destroy(&news->changed);
    pthread_mutex_destroy(&news->lock);
    free(news);
}

enum news_kind
news_take(struct news *news, id *ret_subject)
{
    enum news_kind kind = NEWS_NONE;
    pthread_mutex_lock(&news->lock);
    if (news->told - news->taken > REMEMBERED) {
        news->taken = news->told;
        kind = NEWS_ANY;
    } else if (news->taken < news->told) {
        *ret_subject = news->subjects[news->taken++ % REMEMBERED];
        kind = id_is_there(*ret_subject) ? NEWS_SUBJECT : NEWS_ANY;
    }
    pthread_mutex_unlock(&news->lock);
    return kind;
}

void
news_wait(struct news *news, int64_t ms)
{
    int64_t deadline_ms = clock_steady_ms() + ms;
    pthread_mutex_lock(&news->lock);
    while (news->taken == news->told && !news->stopped) {
        if (!steady_cond_wait(&news->changed, &news->lock, deadline_ms))
            break;
    }
    pthread_mutex_unlock(&news->lock);
}

void
news_stop(struct news *news)
{
    pthread_mutex_lock(&news->lock);
    news->stopped = true;
    pthread_cond_broadcast(&news->changed);
    pthread_mutex_unlock(&news->lock);
}

uint64_t
news_mark(struct news *news)
{
    pthread_mutex_lock(&news->lock);
    uint64_t mark = news->told;
    pthread_mutex_unlock(&news->lock);
    return mark;
}

bool
news_has_since(struct news *news, uint64_t mark, id subject)
{
    pthread_mutex_lock(&news->lock);
    bool found = news->told - mark > REMEMBERED;
    for (uint64_t n = mark; !found && n < news->told; n++) {
        id one = news->subjects[n % REMEMBERED];
        found = !id_is_there(one) || id_eq(one, subject);
    }
    pthread_mutex_unlock(&news->lock);
    return found;
}
