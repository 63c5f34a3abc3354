/* SPDX-License-Identifier: Apache-2.0 */
#include "job/engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/steady_cond.h"
#include "job/news.h"
#include "job/run.h"
#include "job/sweep.h"

enum {
    TURN_ARENA_BYTES = 4 * 1024 * 1024,
    THREADS_MAX = 64,
    KINDS_MAX_BYTES = 64 * 1024,
    /* A step is a transaction of a few statements. The lease only has to outlast the moments between two of them: while a step
     * runs, the lock on the job's row keeps others away. */
    LEASE_MS = 10 * 1000,
    BACKOFF_FIRST_MS = 1000,
    BACKOFF_MOST_MS = 60 * 1000,
    WAIT_FIRST_MS = 2000,
    WAIT_MOST_MS = 4000,
    IDLE_MS = 1000,
};

struct job_engine {
    struct job_engine_config config;
    struct job_runner runner;
    struct arena *arena;
    str kinds; /* as a text[] */
    struct news *news;
    int running;
    pthread_t threads[THREADS_MAX], caretaker;
    bool has_caretaker;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
};

static bool
must_stop(struct job_engine *engine)
{
    return atomic_load(&engine->runner.stop);
}

/* ---- Jobs ---- */

/*
 * Until nothing is told about it any more; true when anything was done. What was told while a step looked, before it gave the
 * job back, found nobody to wake: so it is asked for here. The job is looked up anew, because it may have come a step further.
 */
static bool
work_on(struct job_engine *engine, struct arena *arena, struct job_place place, bool has_news)
{
    size_t count = 1;
    bool did = false;
    while (count > 0) {
        uint64_t mark = news_mark(engine->news);
        enum job_verdict verdict = job_run(&engine->runner, &place, has_news);
        did |= verdict != JOB_NOT_TAKEN;
        if (verdict != JOB_WAITS || must_stop(engine) || !news_has_since(engine->news, mark, place.subject))
            break;
        has_news = true;
        if (store_job_of_subject(engine->config.store, arena, engine->kinds, place.subject, &place, &count) != OK)
            break;
    }
    return did;
}

static bool
work_on_subject(struct job_engine *engine, struct arena *arena, id subject)
{
    struct job_place place;
    size_t count = 0;
    if (store_job_of_subject(engine->config.store, arena, engine->kinds, subject, &place, &count) != OK || count == 0)
        return false;
    return work_on(engine, arena, place, true);
}

static bool
work_on_due(struct job_engine *engine, struct arena *arena, bool any_news)
{
    struct job_place due[JOB_DUE_MAX];
    size_t count = 0;
    bool did = false;
    if (store_job_due(engine->config.store, arena, engine->kinds, any_news, due, &count) != OK)
        return false;
    for (size_t i = 0; i < count && !must_stop(engine); i++)
        did |= work_on(engine, arena, due[i], any_news);
    return did;
}

/* True when there may be more to do at once. */
static bool
take_turn(struct job_engine *engine)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
    id subject;
    if (arena == NULL)
        return false;
    switch (news_take(engine->news, &subject)) {
    case NEWS_SUBJECT: (void)work_on_subject(engine, arena, subject); return true;
    case NEWS_ANY: (void)work_on_due(engine, arena, true); return true;
    case NEWS_NONE: break;
    }
    return work_on_due(engine, arena, false);
}

static void *
run_jobs(void *context)
{
    struct job_engine *engine = context;
    while (!must_stop(engine)) {
        if (!take_turn(engine))
            news_wait(engine->news, engine->config.idle_ms);
    }
    return NULL;
}

/* ---- The caretaker: deadlines and sweeps ---- */

static void
tell_late(void *context, const struct job_late *late)
{
    (void)context;
    char job[ID_DIGITS + 1];
    id_write(late->job, job);
    log_line(LOG_ERROR, "job_overdue", "Job %s (%.*s of %.*s) is at %.*s for %lld s, longer than it should be%s%.*s",
             job, STR_ARG(late->kind), STR_ARG(late->subject_name), STR_ARG(late->step), (long long)late->late_s,
             late->waits_for.len > 0 ? ": " : "", STR_ARG(late->waits_for));
}

static void
look_for_late(struct job_engine *engine)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
    if (arena == NULL)
        return;
    error problem = store_job_mark_late(engine->config.store, arena, str_from(engine->runner.worker), tell_late, NULL);
    if (problem != OK)
        log_line(LOG_WARNING, "job_overdue", "Jobs that are overdue could not be looked for: %.*s",
                 STR_ARG(problem->detail));
}

static void
rest(struct job_engine *engine, int64_t ms)
{
    int64_t deadline_ms = clock_steady_ms() + ms;
    pthread_mutex_lock(&engine->lock);
    while (!must_stop(engine)) {
        if (!steady_cond_wait(&engine->stopped, &engine->lock, deadline_ms))
            break;
    }
    pthread_mutex_unlock(&engine->lock);
}

/* Asking whether one is due costs a transaction: those that run often are asked for each time, the others now and then. */
static void
sweep(struct job_engine *engine, bool now_and_then)
{
    for (const struct sweep *const *one = engine->config.sweeps; *one != NULL && !must_stop(engine); one++) {
        if (now_and_then || (int64_t)(*one)->every_s * 1000 <= engine->config.idle_ms)
            sweep_run_if_due(engine->config.store, *one, &engine->config.environment, engine->runner.worker);
    }
}

static void *
take_care(void *context)
{
    struct job_engine *engine = context;
    int64_t sweeps_ms = 0;
    while (!must_stop(engine)) {
        look_for_late(engine);
        bool now_and_then = clock_steady_ms() >= sweeps_ms;
        sweep(engine, now_and_then);
        if (now_and_then)
            sweeps_ms = clock_steady_ms() + 10 * engine->config.idle_ms;
        rest(engine, engine->config.idle_ms);
    }
    return NULL;
}

/* ---- Beginning and end ---- */

static str
kinds_array(struct arena *arena, const struct job_kind *const *kinds)
{
    struct buf out = buf_in(arena, KINDS_MAX_BYTES);
    buf_add_char(&out, '{');
    for (size_t i = 0; kinds[i] != NULL; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        buf_add_text(&out, kinds[i]->name); /* plain words: job_tables_check() */
    }
    buf_add_char(&out, '}');
    return buf_str(&out);
}

static void
set_default(int64_t *value, int64_t fallback)
{
    if (*value == 0)
        *value = fallback;
}

static bool
prepare(struct job_engine *engine, const struct job_engine_config *given)
{
    struct job_engine_config *config = &engine->config;
    char host[64] = "";
    *config = *given;
    set_default(&config->pace.lease_ms, LEASE_MS);
    set_default(&config->pace.backoff.first_ms, BACKOFF_FIRST_MS);
    set_default(&config->pace.backoff.most_ms, BACKOFF_MOST_MS);
    set_default(&config->wait.first_ms, WAIT_FIRST_MS);
    set_default(&config->wait.most_ms, WAIT_MOST_MS);
    set_default(&config->idle_ms, IDLE_MS);
    engine->runner = (struct job_runner){
        .store = config->store,
        .kinds = config->kinds,
        .environment = config->environment,
        .pace = config->pace,
        .wait = config->wait,
    };
    if (gethostname(host, sizeof(host) - 1) != 0)
        host[0] = '\0';
    snprintf(engine->runner.worker, sizeof(engine->runner.worker), "%s/%d", host, (int)getpid());
    pthread_mutex_init(&engine->lock, NULL);
    steady_cond_init(&engine->stopped);
    engine->arena = arena_new(2 * KINDS_MAX_BYTES);
    if (engine->arena == NULL)
        return false;
    engine->kinds = kinds_array(engine->arena, config->kinds);
    engine->news = news_new(config->dsn, JOB_CHANNEL);
    return engine->kinds.len > 0 && engine->news != NULL;
}

struct job_engine *
job_engine_new(const struct job_engine_config *config)
{
    struct job_engine *engine = calloc(1, sizeof(*engine));
    if (engine == NULL)
        return NULL;
    if (prepare(engine, config)) {
        for (int i = 0; i < config->threads && i < THREADS_MAX; i++)
            engine->running += pthread_create(&engine->threads[engine->running], NULL, run_jobs, engine) == 0;
        engine->has_caretaker = pthread_create(&engine->caretaker, NULL, take_care, engine) == 0;
    }
    if (engine->running > 0 && engine->has_caretaker)
        return engine;
    job_engine_free(engine);
    return NULL;
}

void
job_engine_free(struct job_engine *engine)
{
    if (engine == NULL)
        return;
    pthread_mutex_lock(&engine->lock);
    atomic_store(&engine->runner.stop, true);
    pthread_cond_broadcast(&engine->stopped);
    pthread_mutex_unlock(&engine->lock);
    if (engine->news != NULL)
        news_stop(engine->news);
    for (int i = 0; i < engine->running; i++)
        pthread_join(engine->threads[i], NULL);
    if (engine->has_caretaker)
        pthread_join(engine->caretaker, NULL);
    news_free(engine->news);
    pthread_cond_destroy(&engine->stopped);
    pthread_mutex_destroy(&engine->lock);
    arena_free(engine->arena);
    free(engine);
}
