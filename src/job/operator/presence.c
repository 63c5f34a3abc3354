/* SPDX-License-Identifier: Apache-2.0 */
#include "job/operator/presence.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/steady_cond.h"

enum { EVERY_MS = 30 * 1000, ARENA_BYTES = 64 * 1024, MACHINE_BYTES = 65, LISTEN_BYTES = 128 };

struct presence {
    struct store *store;
    const char *kind;
    char machine[MACHINE_BYTES], listen[LISTEN_BYTES];
    bool is_encrypted;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop;
};

str
presence_address(struct arena *arena, const char *machine, str listen)
{
    static const char *const everywhere[] = { "0.0.0.0:", "[::]:", "*:" };
    for (size_t i = 0; i < LENGTH(everywhere); i++) {
        str prefix = str_from(everywhere[i]);
        if (str_starts_with(listen, prefix))
            return str_format(arena, "%s:%.*s", machine, STR_ARG(str_slice(listen, prefix.len, listen.len)));
    }
    return listen;
}

/* What cannot be said now is said the next time. */
static void
say(const struct presence *presence)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    if (arena == NULL)
        return;
    str listen = str_from(presence->listen);
    struct instance instance = {
        .kind = str_from(presence->kind),
        .name = listen.len > 0 ? str_format(arena, "%s/%.*s", presence->machine, STR_ARG(listen))
                               : str_format(arena, "%s/%d", presence->machine, (int)getpid()),
        .address = listen.len > 0 ? presence_address(arena, presence->machine, listen) : STR_EMPTY,
        .is_encrypted = presence->is_encrypted,
        .version = STR(REEVE_VERSION),
    };
    error problem = store_instance_seen(presence->store, arena, &instance);
    if (problem != OK)
        log_line(LOG_INFO, "presence_unsaid", "Nobody was told that this process is there: %.*s",
                 STR_ARG(problem->detail));
}

static void *
run(void *data)
{
    struct presence *presence = data;
    pthread_mutex_lock(&presence->lock);
    while (!presence->stop) {
        pthread_mutex_unlock(&presence->lock);
        say(presence);
        pthread_mutex_lock(&presence->lock);
        int64_t deadline = clock_steady_ms() + EVERY_MS;
        while (!presence->stop && steady_cond_wait(&presence->stopped, &presence->lock, deadline))
            continue;
    }
    pthread_mutex_unlock(&presence->lock);
    return NULL;
}

struct presence *
presence_new(struct store *store, const char *kind, const char *listen, bool is_encrypted)
{
    struct presence *presence = calloc(1, sizeof(*presence));
    if (presence == NULL)
        return NULL;
    presence->store = store;
    presence->kind = kind;
    presence->is_encrypted = is_encrypted;
    if (gethostname(presence->machine, sizeof(presence->machine) - 1) != 0 || presence->machine[0] == '\0')
        (void)snprintf(presence->machine, sizeof(presence->machine), "unknown");
    (void)snprintf(presence->listen, sizeof(presence->listen), "%s", listen == NULL ? "" : listen);
    pthread_mutex_init(&presence->lock, NULL);
    steady_cond_init(&presence->stopped);
    if (pthread_create(&presence->thread, NULL, run, presence) == 0)
        return presence;
    pthread_cond_destroy(&presence->stopped);
    pthread_mutex_destroy(&presence->lock);
    free(presence);
    return NULL;
}

void
presence_free(struct presence *presence)
{
    if (presence == NULL)
        return;
    pthread_mutex_lock(&presence->lock);
    presence->stop = true;
    pthread_cond_broadcast(&presence->stopped);
    pthread_mutex_unlock(&presence->lock);
    pthread_join(presence->thread, NULL);
    pthread_cond_destroy(&presence->stopped);
    pthread_mutex_destroy(&presence->lock);
    free(presence);
}
