/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pipeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/connection.h"
#include "store/fault.h"
#include "store/params.h"
#include "store/pipeline_parts.h"
#include "store/rows.h"

/*
 * SLOT_MAX bounds what one connection holds. A statement takes at most five places in the queue of expected answers
 * (Sync, Prepare, Sync, itself, Sync), and few of them more than one. Parameters of ordinary reads fit into
 * COPY_BYTES; larger ones are copied to the heap.
 */
enum { SLOT_MAX = 1024, EXPECTED_MAX = 8192, COPY_BYTES = 192 };
enum { GRACE_MS = 1000, CONNECT_MS = 3000, BACKOFF_FIRST_MS = 50, BACKOFF_MOST_MS = 2000 };

/* One accepted statement, with what is needed to send it again. */
struct slot {
    struct arena *arena;
    pipeline_done *done; /* NULL: nobody waits any more */
    void *context;
    int64_t accepted_ms;
    enum sql statement;
    int next; /* of the free list, or of the list of those to send again */
    bool is_again;
    int count;
    int lengths[PARAMS_MAX]; /* -1: NULL */
    uint32_t binary;         /* one bit a parameter */
    char *bytes;             /* the values one after another, each with a NUL: `copy` or the heap */
    char copy[COPY_BYTES];
};

/* What the server will answer, in the order in which it was asked. */
struct expected {
    enum { EXPECT_SETUP, EXPECT_PREPARE, EXPECT_ROWS, EXPECT_SYNC } kind;
    int which; /* the statement of a Prepare, the slot of rows */
};

enum phase { PHASE_LOST, PHASE_CONNECTING, PHASE_SETTING_UP, PHASE_READY };

struct pipeline {
    char *dsn;
    int statement_timeout_ms;
    pipeline_watch *watch;
    void *owner;

    PGconn *pg;
    struct connection_words words;
    enum phase phase;
    PostgresPollingStatusType connecting;
    int64_t connecting_until_ms, retry_at_ms, progress_ms;
    int failures;        /* to connect, one after the other */
    int failed_attempts; /* to connect, since it was ready */
    bool wants_write;
    bool is_answered;    /* the first expected answer came, its end did not */
    bool must_reconnect; /* once what is under way is answered */
    bool is_broken;      /* found while sending; acted on at the next flush or event, not inside pipeline_send() */
    int unsynced;        /* statements sent since the last Sync */
    uint64_t prepared[SQL_COUNT / 64 + 1];
    error refused[SQL_COUNT]; /* why preparing it failed the last time */

    int free_slot, again_first, again_last, in_use;
    unsigned first, last; /* of `expected`; they only grow, the place is modulo EXPECTED_MAX */
    struct expected expected[EXPECTED_MAX];
    struct slot slots[SLOT_MAX];
};

/* ---- Slots ---- */

static void
fill_free_list(struct pipeline *pipeline)
{
    for (int i = 0; i < SLOT_MAX; i++)
        pipeline->slots[i].next = i + 1 == SLOT_MAX ? -1 : i + 1;
    pipeline->free_slot = 0;
    pipeline->again_first = pipeline->again_last = -1;
}

static void
release_slot(struct pipeline *pipeline, int which)
{
    struct slot *slot = &pipeline->slots[which];
    if (slot->bytes != slot->copy)
        free(slot->bytes);
    slot->bytes = NULL;
    slot->done = NULL;
    slot->next = pipeline->free_slot;
    pipeline->free_slot = which;
    pipeline->in_use--;
}

/* The slot is free before the callback runs, which may send the next statement. */
static void
finish_slot(struct pipeline *pipeline, int which, error problem, PGresult *result)
{
    struct slot *slot = &pipeline->slots[which];
    pipeline_done *done = slot->done;
    void *context = slot->context;
    struct arena *arena = slot->arena;
    enum sql statement = slot->statement;
    release_slot(pipeline, which);
    if (done == NULL) {
        PQclear(result);
        return;
    }
    struct rows rows = { 0 };
    if (problem == OK && arena == NULL)
        rows = rows_of(statement, result);
    else if (problem == OK && !rows_adopt(arena, statement, result, &rows))
        problem = &fault_overloaded;
    else if (problem != OK)
        PQclear(result);
    done(context, problem, rows);
}

/* False only without memory. */
static bool
copy_params(struct slot *slot, const struct params_in_order *params)
{
    size_t total = 0;
    slot->count = params->count;
    slot->binary = 0;
    for (int i = 0; i < params->count; i++) {
        slot->lengths[i] = params->values[i] == NULL ? -1 : params->lengths[i];
        slot->binary |= (uint32_t)params->formats[i] << i;
        total += params->values[i] == NULL ? 0 : (size_t)params->lengths[i] + 1;
    }
    slot->bytes = total <= COPY_BYTES ? slot->copy : malloc(total);
    if (slot->bytes == NULL)
        return false;
    char *at = slot->bytes;
    for (int i = 0; i < params->count; i++) {
        if (params->values[i] == NULL)
            continue;
        size_t length = (size_t)params->lengths[i];
        memcpy(at, params->values[i], length);
        at[length] = '\0';
        at += length + 1;
    }
    return true;
}

/* ---- Connection ---- */

static void
expect(struct pipeline *pipeline, int kind, int which)
{
    pipeline->expected[pipeline->last++ % EXPECTED_MAX] = (struct expected){ .kind = kind, .which = which };
}

static void
set_watched(struct pipeline *pipeline, int fd)
{
    pipeline->watch(pipeline->owner, fd);
}

/* Everything that waits fails. A callback may call pipeline_send(), which refuses in this phase. */
static void
lose(struct pipeline *pipeline, const char *why)
{
    if (pipeline->pg != NULL) {
        fault_log_connection(pipeline->pg, why);
        set_watched(pipeline, -1); /* before the descriptor is closed and its number given to somebody else */
        PQfinish(pipeline->pg);
        pipeline->pg = NULL;
    }
    pipeline->failed_attempts = pipeline->phase == PHASE_READY ? 0 : pipeline->failed_attempts + 1;
    pipeline->phase = PHASE_LOST;
    int64_t wait_ms = backoff_ms((struct backoff){ BACKOFF_FIRST_MS, BACKOFF_MOST_MS }, pipeline->failures++);
    pipeline->retry_at_ms = clock_steady_ms() + wait_ms;
    pipeline->wants_write = pipeline->is_answered = pipeline->must_reconnect = pipeline->is_broken = false;
    pipeline->unsynced = 0;
    memset(pipeline->prepared, 0, sizeof(pipeline->prepared));

    while (pipeline->first != pipeline->last) {
        struct expected lost = pipeline->expected[pipeline->first++ % EXPECTED_MAX];
        if (lost.kind == EXPECT_ROWS)
            finish_slot(pipeline, lost.which, &fault_unavailable, NULL);
    }
    while (pipeline->again_first >= 0) {
        int which = pipeline->again_first;
        pipeline->again_first = pipeline->slots[which].next;
        finish_slot(pipeline, which, &fault_unavailable, NULL);
    }
    pipeline->again_last = -1;
}

static void
ignore_notice(void *context, const PGresult *notice)
{
    (void)context;
    (void)notice;
}

static void
flush(struct pipeline *pipeline)
{
    int left = pipeline->is_broken ? -1 : PQflush(pipeline->pg);
    if (left < 0)
        lose(pipeline, "the connection broke while sending");
    else
        pipeline->wants_write = left > 0;
}

static bool
send_sync(struct pipeline *pipeline)
{
    if (PQpipelineSync(pipeline->pg) == 0) {
        pipeline->is_broken = true;
        return false;
    }
    expect(pipeline, EXPECT_SYNC, 0);
    pipeline->unsynced = 0;
    return true;
}

/* The role and the limits, as one statement, because pipeline mode sends one at a time. */
static void
send_setup(struct pipeline *pipeline)
{
    char text[256];
    snprintf(text, sizeof(text),
             "SELECT set_config('role', '" ROLE_READER "', false), set_config('statement_timeout', '%d', false), "
             "set_config('default_transaction_read_only', 'on', false)",
             pipeline->statement_timeout_ms);
    pipeline->phase = PHASE_SETTING_UP;
    pipeline->progress_ms = clock_steady_ms();
    PQsetNoticeReceiver(pipeline->pg, ignore_notice, NULL);
    if (PQsetnonblocking(pipeline->pg, 1) != 0 || PQenterPipelineMode(pipeline->pg) == 0 ||
        PQsendQueryParams(pipeline->pg, text, 0, NULL, NULL, NULL, NULL, 0) == 0) {
        lose(pipeline, "a connection could not be set up");
        return;
    }
    expect(pipeline, EXPECT_SETUP, 0);
    (void)send_sync(pipeline);
    flush(pipeline);
}

static void
go_on_connecting(struct pipeline *pipeline)
{
    /* PQconnectPoll() may close its socket and open another one with the same number (next address, without TLS), which
     * an event loop can only notice when it is told to forget the old one first. */
    set_watched(pipeline, -1);
    pipeline->connecting = PQconnectPoll(pipeline->pg);
    if (pipeline->connecting == PGRES_POLLING_FAILED) {
        connection_missed(&pipeline->words, pipeline->pg, false);
        lose(pipeline, "no connection");
        return;
    }
    set_watched(pipeline, PQsocket(pipeline->pg));
    if (pipeline->connecting == PGRES_POLLING_OK) {
        connection_reached(&pipeline->words, pipeline->pg);
        send_setup(pipeline);
    }
}

static void
start_connecting(struct pipeline *pipeline)
{
    connection_words(pipeline->dsn, &pipeline->words);
    pipeline->connecting_until_ms = clock_steady_ms() + CONNECT_MS;
    pipeline->phase = PHASE_CONNECTING;
    pipeline->pg = PQconnectStartParams(pipeline->words.keywords, pipeline->words.values, 1);
    if (pipeline->pg == NULL || PQstatus(pipeline->pg) == CONNECTION_BAD) {
        connection_missed(&pipeline->words, pipeline->pg, false);
        lose(pipeline, "no connection");
        return;
    }
    pipeline->connecting = PGRES_POLLING_WRITING;
    set_watched(pipeline, PQsocket(pipeline->pg));
}

struct pipeline *
pipeline_new(const struct store_config *config, pipeline_watch *watch, void *owner)
{
    struct pipeline *pipeline = calloc(1, sizeof(*pipeline));
    if (pipeline == NULL)
        return NULL;
    pipeline->dsn = strdup(config->dsn);
    if (pipeline->dsn == NULL) {
        free(pipeline);
        return NULL;
    }
    pipeline->statement_timeout_ms = config->statement_timeout_ms;
    pipeline->watch = watch;
    pipeline->owner = owner;
    fill_free_list(pipeline);
    start_connecting(pipeline);
    return pipeline;
}

void
pipeline_free(struct pipeline *pipeline)
{
    if (pipeline == NULL)
        return;
    if (pipeline->pg != NULL) {
        set_watched(pipeline, -1);
        PQfinish(pipeline->pg);
        pipeline->pg = NULL;
    }
    lose(pipeline, "");
    free(pipeline->dsn);
    free(pipeline);
}

/* ---- Sending ---- */

/* A Prepare stands between two Syncs of its own: no neighbour's failure can undo it, so that what was sent once as
 * prepared stays prepared. It happens once a statement and connection. */
static bool
prepare(struct pipeline *pipeline, enum sql statement)
{
    uint64_t bit = UINT64_C(1) << (statement % 64);
    if ((pipeline->prepared[statement / 64] & bit) != 0)
        return true;
    if (pipeline->unsynced > 0 && !send_sync(pipeline))
        return false;
    if (PQsendPrepare(pipeline->pg, sql_rows[statement].name, sql_rows[statement].text, 0, NULL) == 0) {
        pipeline->is_broken = true;
        return false;
    }
    expect(pipeline, EXPECT_PREPARE, (int)statement);
    pipeline->prepared[statement / 64] |= bit;
    return send_sync(pipeline);
}

/* False when the connection broke; the slot is the caller's again. */
static bool
send_slot(struct pipeline *pipeline, int which)
{
    struct slot *slot = &pipeline->slots[which];
    const char *values[PARAMS_MAX];
    int formats[PARAMS_MAX];
    const char *at = slot->bytes;
    for (int i = 0; i < slot->count; i++) {
        formats[i] = slot->binary >> i & 1;
        values[i] = slot->lengths[i] < 0 ? NULL : at;
        at += slot->lengths[i] < 0 ? 0 : slot->lengths[i] + 1;
    }
    if (!prepare(pipeline, slot->statement))
        return false;
    if (PQsendQueryPrepared(pipeline->pg, sql_rows[slot->statement].name, slot->count, values, slot->lengths, formats,
                            0) == 0) {
        pipeline->is_broken = true;
        return false;
    }
    expect(pipeline, EXPECT_ROWS, which);
    pipeline->unsynced++;
    return true;
}

bool
pipeline_send(struct pipeline *pipeline, struct arena *arena, enum sql statement, const struct params *params,
              pipeline_done *done, void *context)
{
    struct params_in_order ordered;
    int which = pipeline->free_slot;
    if (!pipeline_is_ready(pipeline) || which < 0 || pipeline->last - pipeline->first > EXPECTED_MAX - 2 * SLOT_MAX)
        return false;
    if ((params != NULL && params->missing != PARAM_NONE) || !params_order(params, statement, &ordered))
        return false; /* the other way says what is wrong */
    struct slot *slot = &pipeline->slots[which];
    if (!copy_params(slot, &ordered))
        return false;
    pipeline->free_slot = slot->next;
    pipeline->in_use++;
    slot->arena = arena;
    slot->done = done;
    slot->context = context;
    slot->statement = statement;
    slot->is_again = false;
    slot->accepted_ms = clock_steady_ms();
    if (pipeline->first == pipeline->last)
        pipeline->progress_ms = slot->accepted_ms;
    if (!send_slot(pipeline, which)) {
        release_slot(pipeline, which); /* not accepted: the callback must not run */
        return false;
    }
    return true;
}

void
pipeline_flush(struct pipeline *pipeline)
{
    if (pipeline->unsynced > 0 && !pipeline->is_broken)
        (void)send_sync(pipeline);
    else if (!pipeline->is_broken)
        return;
    flush(pipeline);
}

/* ---- Receiving ---- */

static void
queue_again(struct pipeline *pipeline, int which)
{
    struct slot *slot = &pipeline->slots[which];
    slot->is_again = true;
    slot->next = -1;
    if (pipeline->again_first < 0)
        pipeline->again_first = which;
    else
        pipeline->slots[pipeline->again_last].next = which;
    pipeline->again_last = which;
}

/* Each with a Sync of its own: the one that fails every time must not take the others with it a second time. */
static void
send_again(struct pipeline *pipeline)
{
    while (pipeline->again_first >= 0 && !pipeline->is_broken) {
        int which = pipeline->again_first;
        if (pipeline->unsynced > 0 && !send_sync(pipeline))
            return;
        if (!send_slot(pipeline, which))
            return;
        pipeline->again_first = pipeline->slots[which].next;
        (void)send_sync(pipeline);
    }
}

static void
take_rows(struct pipeline *pipeline, int which, PGresult *result)
{
    struct slot *slot = &pipeline->slots[which];
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
        finish_slot(pipeline, which, OK, result);
        return;
    }
    if (status == PGRES_PIPELINE_ABORTED && !slot->is_again) {
        PQclear(result);
        queue_again(pipeline, which);
        return;
    }
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (state != NULL && strcmp(state, "26000") == 0 && pipeline->refused[slot->statement] != OK) {
        finish_slot(pipeline, which, pipeline->refused[slot->statement], result);
        return;
    }
    if (fault_ends_connection(result))
        pipeline->must_reconnect = true;
    finish_slot(pipeline, which, fault_of_result(result, sql_rows[slot->statement].name, NULL), result);
}

/* Takes one answer; `result` is consumed. */
static void
take_answer(struct pipeline *pipeline, struct expected answer, PGresult *result)
{
    bool worked = connection_succeeded(result);
    switch (answer.kind) {
    case EXPECT_ROWS: take_rows(pipeline, answer.which, result); return;
    case EXPECT_PREPARE:
        if (!worked) {
            /* What stands behind it fails, too, but with the news that the server does not know the statement. */
            pipeline->prepared[answer.which / 64] &= ~(UINT64_C(1) << (answer.which % 64));
            pipeline->refused[answer.which] = fault_of_result(result, sql_rows[answer.which].name, NULL);
            pipeline->must_reconnect |= fault_ends_connection(result);
        } else {
            pipeline->refused[answer.which] = OK;
        }
        break;
    case EXPECT_SETUP:
        if (worked) {
            pipeline->phase = PHASE_READY;
            pipeline->failures = 0;
        } else {
            log_line(LOG_ERROR, "database_refused", "a connection could not be set up: %s",
                     PQresultErrorMessage(result));
            pipeline->must_reconnect = true;
        }
        break;
    case EXPECT_SYNC: break;
    }
    PQclear(result);
}

static void
take_answers(struct pipeline *pipeline)
{
    while (pipeline->pg != NULL && pipeline->first != pipeline->last && PQisBusy(pipeline->pg) == 0) {
        struct expected *answer = &pipeline->expected[pipeline->first % EXPECTED_MAX];
        PGresult *result = PQgetResult(pipeline->pg);
        if (result == NULL) {
            /* Ends the answer to one statement; a Sync's has no end of its own. */
            if (!pipeline->is_answered) {
                lose(pipeline, "the connection broke");
                return;
            }
            pipeline->is_answered = false;
            pipeline->first++;
            continue;
        }
        if ((PQresultStatus(result) == PGRES_PIPELINE_SYNC) != (answer->kind == EXPECT_SYNC) || pipeline->is_answered) {
            /* A fatal message from the server comes outside the order. */
            PQclear(result);
            lose(pipeline, "the connection broke");
            return;
        }
        struct expected taken = *answer;
        if (taken.kind == EXPECT_SYNC) {
            pipeline->first++;
        } else {
            pipeline->is_answered = true;
            /* The slot leaves the queue now: should the connection be lost in the callback, it is not failed again. */
            answer->kind = EXPECT_PREPARE;
            answer->which = 0;
        }
        take_answer(pipeline, taken, result);
    }
}

void
pipeline_readable(struct pipeline *pipeline)
{
    if (pipeline->phase == PHASE_LOST)
        return;
    if (pipeline->phase == PHASE_CONNECTING) {
        go_on_connecting(pipeline);
        return;
    }
    if (PQconsumeInput(pipeline->pg) == 0) {
        lose(pipeline, "the connection broke");
        return;
    }
    pipeline->progress_ms = clock_steady_ms();
    take_answers(pipeline);
    if (pipeline->phase == PHASE_LOST)
        return;
    if (pipeline->must_reconnect && pipeline->first == pipeline->last && pipeline->again_first < 0) {
        lose(pipeline, "the server ended the connection");
        return;
    }
    bool must_flush = pipeline->again_first >= 0 || pipeline->wants_write || pipeline->is_broken;
    send_again(pipeline);
    if (must_flush)
        flush(pipeline);
}

void
pipeline_writable(struct pipeline *pipeline)
{
    if (pipeline->phase == PHASE_CONNECTING)
        go_on_connecting(pipeline);
    else if (pipeline->phase != PHASE_LOST)
        flush(pipeline);
}

bool
pipeline_wants_write(const struct pipeline *pipeline)
{
    if (pipeline->phase == PHASE_CONNECTING)
        return pipeline->connecting == PGRES_POLLING_WRITING;
    return pipeline->wants_write;
}

/* Those who waited too long are told so; what the server still answers to them is thrown away. */
static void
give_up_on_old(struct pipeline *pipeline, int64_t now)
{
    for (unsigned i = pipeline->first; i != pipeline->last; i++) {
        struct expected *old = &pipeline->expected[i % EXPECTED_MAX];
        if (old->kind != EXPECT_ROWS)
            continue;
        struct slot *slot = &pipeline->slots[old->which];
        if (now - slot->accepted_ms <= pipeline->statement_timeout_ms + GRACE_MS)
            break; /* the queue is in the order of age, but for a few that were sent again */
        pipeline_done *done = slot->done;
        slot->done = NULL;
        if (done != NULL)
            done(slot->context, &fault_unavailable, (struct rows){ 0 });
    }
}

void
pipeline_tick(struct pipeline *pipeline)
{
    int64_t now = clock_steady_ms();
    switch (pipeline->phase) {
    case PHASE_LOST:
        if (now >= pipeline->retry_at_ms)
            start_connecting(pipeline);
        return;
    case PHASE_CONNECTING:
        if (now >= pipeline->connecting_until_ms) {
            /* libpq's own time-out does not count here: without this, hosts behind one that is switched off would never
             * have their turn. */
            connection_missed(&pipeline->words, pipeline->pg, true);
            lose(pipeline, "connecting took too long");
        }
        return;
    case PHASE_SETTING_UP:
    case PHASE_READY: break;
    }
    /* The server ends slow statements by itself; when nothing at all comes back, it or the way to it is gone. */
    if (pipeline->is_broken)
        lose(pipeline, "the connection broke while sending");
    else if (pipeline->first != pipeline->last &&
             now - pipeline->progress_ms > pipeline->statement_timeout_ms + GRACE_MS)
        lose(pipeline, "the database does not answer");
    else
        give_up_on_old(pipeline, now);
}

bool
pipeline_is_ready(const struct pipeline *pipeline)
{
    return pipeline->phase == PHASE_READY && !pipeline->must_reconnect && !pipeline->is_broken;
}

bool
pipeline_is_hopeful(const struct pipeline *pipeline)
{
    return pipeline->phase == PHASE_READY || pipeline->failed_attempts == 0;
}
