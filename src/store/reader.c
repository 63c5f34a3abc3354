/* SPDX-License-Identifier: Apache-2.0 */
#include "store/reader.h"

#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/steady_cond.h"
#include "store/fault.h"
#include "store/pipeline_parts.h"
#include "store/rows.h"

/* A caller waits longer than the pipeline does, so that the pipeline's answer is what it normally sees. */
enum { PATIENCE_MS = 2000, TICK_MS = 1000, TICK_WHILE_LOST_MS = 50 };

/*
 * One read, shared by the caller that waits and the thread that asks. Whoever is the last to leave frees it: the answer
 * may come after the caller lost its patience, and then its arena is gone.
 */
struct job {
    struct job *next;
    enum sql statement;
    const struct params *params; /* the caller's; only used while the job is queued */
    struct reader *reader;
    pthread_cond_t answered;
    enum { JOB_QUEUED, JOB_SENT, JOB_ANSWERED, JOB_ABANDONED } state;
    error problem;
    PGresult *result;
};

struct reader {
    struct store_config config;
    pthread_t thread;
    bool is_running;
    int wake, watched;
    struct pipeline *pipeline;
    atomic_bool ready, stop;
    atomic_int asked; /* reads that are not answered yet */

    pthread_mutex_t lock; /* guards what follows, and every job's state and answer */
    struct job *first, **last;
};

struct readers {
    int count;
    atomic_uint turn;
    struct reader reader[];
};

static void
free_job(struct job *job)
{
    PQclear(job->result);
    pthread_cond_destroy(&job->answered);
    free(job);
}

/* With the reader's lock held. True when nobody waits and the job must be freed. */
static bool
answer(struct job *job, error problem, PGresult *result)
{
    bool abandoned = job->state == JOB_ABANDONED;
    job->state = JOB_ANSWERED;
    job->problem = problem;
    job->result = result;
    if (!abandoned)
        pthread_cond_signal(&job->answered);
    return abandoned;
}

static void
on_answer(void *context, error problem, struct rows rows)
{
    struct job *job = context;
    pthread_mutex_t *lock = &job->reader->lock;
    pthread_mutex_lock(lock);
    bool abandoned = answer(job, problem, rows.result);
    pthread_mutex_unlock(lock);
    if (abandoned)
        free_job(job);
}

static void
on_watch(void *owner, int fd)
{
    ((struct reader *)owner)->watched = fd;
}

/* Hands queued jobs to the pipeline under the lock, so that a caller who gives up cannot take its parameters away in the
 * middle. The pipeline copies them and does not block or call back from here. */
static void
send_queued(struct reader *reader)
{
    bool may_wait = pipeline_is_hopeful(reader->pipeline);
    pthread_mutex_lock(&reader->lock);
    while (reader->first != NULL) {
        struct job *job = reader->first;
        bool sent = pipeline_send(reader->pipeline, NULL, job->statement, job->params, on_answer, job);
        if (!sent && may_wait)
            break; /* being connected, or full: its turn comes */
        reader->first = job->next;
        if (reader->first == NULL)
            reader->last = &reader->first;
        if (sent)
            job->state = JOB_SENT;
        else
            answer(job, &fault_unavailable, NULL); /* nobody abandons a queued job without taking it out */
    }
    pthread_mutex_unlock(&reader->lock);
    pipeline_flush(reader->pipeline);
}

static void *
run(void *context)
{
    struct reader *reader = context;
    int64_t ticked_ms = 0;
    while (!atomic_load(&reader->stop)) {
        struct pollfd fds[2] = { { .fd = reader->wake, .events = POLLIN },
                                 { .fd = reader->watched, .events = POLLIN } };
        /* While it connects, only the event that libpq asked for counts. */
        if (pipeline_wants_write(reader->pipeline))
            fds[1].events = pipeline_is_ready(reader->pipeline) ? POLLIN | POLLOUT : POLLOUT;
        int tick_ms = pipeline_is_ready(reader->pipeline) ? TICK_MS : TICK_WHILE_LOST_MS;
        poll(fds, 2, tick_ms);
        if (fds[0].revents != 0) {
            uint64_t count;
            if (read(reader->wake, &count, sizeof(count)) < 0)
                count = 0;
        }
        if ((fds[1].revents & (POLLIN | POLLERR | POLLHUP)) != 0)
            pipeline_readable(reader->pipeline);
        else if ((fds[1].revents & POLLOUT) != 0)
            pipeline_writable(reader->pipeline);
        int64_t now = clock_steady_ms();
        if (now - ticked_ms >= tick_ms) {
            ticked_ms = now;
            pipeline_tick(reader->pipeline);
        }
        send_queued(reader);
        atomic_store(&reader->ready, pipeline_is_ready(reader->pipeline));
    }
    return NULL;
}

static bool
start(struct reader *reader, const struct store_config *config)
{
    reader->config = *config;
    reader->watched = -1;
    reader->last = &reader->first;
    pthread_mutex_init(&reader->lock, NULL);
    reader->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    reader->pipeline = pipeline_new(config, on_watch, reader);
    if (reader->wake < 0 || reader->pipeline == NULL)
        return false;
    reader->is_running = pthread_create(&reader->thread, NULL, run, reader) == 0;
    return reader->is_running;
}

static void
wake(struct reader *reader)
{
    uint64_t one = 1;
    if (write(reader->wake, &one, sizeof(one)) < 0)
        return; /* the counter is full: it is awake */
}

static void
stop(struct reader *reader)
{
    atomic_store(&reader->stop, true);
    if (reader->is_running) {
        wake(reader);
        pthread_join(reader->thread, NULL);
    }
    pipeline_free(reader->pipeline);
    if (reader->wake >= 0)
        close(reader->wake);
    pthread_mutex_destroy(&reader->lock);
}

struct readers *
readers_new(const struct store_config *config)
{
    struct readers *readers = calloc(1, sizeof(*readers) + sizeof(struct reader) * (size_t)config->readers);
    if (readers == NULL)
        return NULL;
    for (int i = 0; i < config->readers; i++) {
        readers->count++;
        if (!start(&readers->reader[i], config)) {
            readers_free(readers);
            return NULL;
        }
    }
    return readers;
}

void
readers_free(struct readers *readers)
{
    if (readers == NULL)
        return;
    for (int i = 0; i < readers->count; i++)
        stop(&readers->reader[i]);
    free(readers);
}

bool
readers_are_ready(struct readers *readers)
{
    for (int i = 0; i < readers->count; i++) {
        if (atomic_load(&readers->reader[i].ready))
            return true;
    }
    return false;
}

/* The one with the least to do, in turn when there are several; past those whose connection is down when another one's is up. */
static struct reader *
choose(struct readers *readers)
{
    unsigned turn = atomic_fetch_add(&readers->turn, 1), count = (unsigned)readers->count;
    struct reader *best = NULL;
    for (unsigned i = 0; i < count; i++) {
        struct reader *reader = &readers->reader[(turn + i) % count];
        if (atomic_load(&reader->ready) && (best == NULL || atomic_load(&reader->asked) < atomic_load(&best->asked)))
            best = reader;
    }
    return best != NULL ? best : &readers->reader[turn % count];
}

static struct job *
new_job(struct reader *reader, enum sql statement, const struct params *params)
{
    struct job *job = calloc(1, sizeof(*job));
    if (job == NULL)
        return NULL;
    job->statement = statement;
    job->params = params;
    job->reader = reader;
    steady_cond_init(&job->answered);
    return job;
}

/* With the lock held. */
static void
take_out(struct reader *reader, struct job *job)
{
    struct job **at = &reader->first;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    if (job->next == NULL)
        reader->last = at;
}

static error
read_with(struct reader *reader, struct arena *arena, enum sql statement, const struct params *params,
          struct rows *ret_rows)
{
    struct job *job = new_job(reader, statement, params);
    if (job == NULL)
        return &fault_overloaded;
    int wait_s = (reader->config.statement_timeout_ms + PATIENCE_MS) / 1000 + 1; /* rounded up */
    int64_t deadline_ms = clock_steady_ms() + (int64_t)wait_s * 1000;

    pthread_mutex_lock(&reader->lock);
    bool was_empty = reader->first == NULL;
    *reader->last = job;
    reader->last = &job->next;
    if (was_empty)
        wake(reader);
    while (job->state != JOB_ANSWERED) {
        if (steady_cond_wait(&job->answered, &reader->lock, deadline_ms) || job->state == JOB_ANSWERED)
            continue;
        bool is_mine = job->state == JOB_QUEUED;
        if (is_mine)
            take_out(reader, job);
        job->state = JOB_ABANDONED;
        pthread_mutex_unlock(&reader->lock);
        if (is_mine)
            free_job(job);
        return &fault_unavailable;
    }
    error problem = job->problem;
    PGresult *result = job->result;
    job->result = NULL;
    pthread_mutex_unlock(&reader->lock);
    free_job(job);
    if (problem != OK)
        return problem;
    return rows_adopt(arena, statement, result, ret_rows) ? OK : &fault_overloaded;
}

error
readers_read(struct readers *readers, struct arena *arena, enum sql statement, const struct params *params,
             struct rows *ret_rows)
{
    struct params_in_order ordered; /* again when it is sent; here to say what is wrong */
    TRY(fault_of_params(params, statement, &ordered));
    if (readers->count == 0)
        return &fault_unavailable;
    struct reader *reader = choose(readers);
    atomic_fetch_add(&reader->asked, 1);
    error problem = read_with(reader, arena, statement, params, ret_rows);
    atomic_fetch_sub(&reader->asked, 1);
    return problem;
}
