/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/refusal.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/log.h"

enum { PLACES = 1024, SAID_FOR_MS = 3600 * 1000 };

/* A place that two share is only said again too early. */
static struct {
    uint64_t what;
    int64_t until_ms;
} said[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t
hash_of(id host, const char *reason)
{
    uint64_t hash = id_hash(host);
    for (; *reason != '\0'; reason++)
        hash = (hash ^ (unsigned char)*reason) * 0x100000001B3;
    return hash ^ hash >> 29;
}

void
refusal_note(id host, const char *reason, str sentence)
{
    uint64_t what = hash_of(host, reason);
    int64_t now_ms = clock_steady_ms();
    pthread_mutex_lock(&lock);
    bool is_news = said[what % PLACES].what != what || said[what % PLACES].until_ms < now_ms;
    said[what % PLACES].what = what;
    said[what % PLACES].until_ms = now_ms + SAID_FOR_MS;
    pthread_mutex_unlock(&lock);
    if (!is_news)
        return;
    char digits[ID_DIGITS + 1] = "unknown";
    if (id_is_there(host))
        id_write(host, digits);
    log_line(LOG_WARNING, reason, "Host %s: %.*s", digits, STR_ARG(sentence));
}
