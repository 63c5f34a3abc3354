/* SPDX-License-Identifier: Apache-2.0 */
/*
 * News about the subjects of jobs, and the threads that wait for them. Remembers the last few hundred subjects, so that
 * a thread whose step must wait can ask whether there was news since the step began.
 */
#ifndef JOB_NEWS_H
#define JOB_NEWS_H

#include <stdbool.h>

#include "base/id.h"

struct news;

/* Listens on the channel. NULL without memory or a thread. */
MUST_USE struct news *news_new(const char *dsn, const char *channel);
void news_free(struct news *news);

enum news_kind {
    NEWS_NONE,
    NEWS_SUBJECT, /* about one subject */
    NEWS_ANY,     /* about anything: it was said so, too much came at once, or the connection was lost for a while */
};
/* Takes the oldest that no other thread took. */
enum news_kind news_take(struct news *news, id *ret_subject);
/* Until there is something to take, but not longer than this; at once after news_stop(). */
void news_wait(struct news *news, int64_t ms);
void news_stop(struct news *news);

/* How much was told so far; and whether the subject was told about since then. */
uint64_t news_mark(struct news *news);
bool news_has_since(struct news *news, uint64_t mark, id subject);

#endif
