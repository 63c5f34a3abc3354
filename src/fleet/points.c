/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST /agent/v1/points: what a host measured, passed on to one of the stores (docs/internals/monitor.md). Whose a point is comes from the
 * database, by the host's certificate. Nothing is kept here: when the store has taken all of it the host is told so, otherwise it
 * sends the same again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "fleet/agent_parts.h"
#include "fleet/refusal.h"
#include "monitor/line.h"
#include "monitor/steps.h"
#include "monitor/stores.h"
#include "store/monitor/monitor.h"
#include "wire/monitor/table_name.h"

enum {
    LINES_MOST_BYTES = 8 * 1024 * 1024, /* labels make a short line three times as long */
    WRITES_AT_ONCE = 2,                 /* of a process: a slow store leaves threads for reports and goals */
    HOUR_MS = 3600 * 1000,
    LATE_AFTER_MS = 3 * 60 * 1000, /* hours are made five minutes after their end */
    AHEAD_MS = 10 * 60 * 1000,     /* of clocks that are not quite right */
    HOUR_TEXT_BYTES = 64,
};
static const int64_t raw_ms = (int64_t)SAMPLES_RAW_DAYS * 24 * HOUR_MS;

/* ---- How much a host may send ---- */
/* A host with ten members sends some 20 KB every 10 s. After a long silence it may catch up; but not take all threads for it. */
enum { PLACES = 4096, BURST_BYTES = 16 * 1024 * 1024, BYTES_PER_S = 2 * 1024 * 1024, LEAST_BYTES = 16 * 1024 };

/* A place that two share is only filled up too early. */
static struct {
    uint64_t host;
    int64_t bytes, at_ms;
} allowances[PLACES];
static pthread_mutex_t allowance_lock = PTHREAD_MUTEX_INITIALIZER;

static bool
may_send(id host, size_t bytes)
{
    uint64_t who = id_hash(host);
    int64_t now_ms = clock_steady_ms(), cost = bytes < LEAST_BYTES ? LEAST_BYTES : (int64_t)bytes;
    pthread_mutex_lock(&allowance_lock);
    int64_t *left = &allowances[who % PLACES].bytes, *at_ms = &allowances[who % PLACES].at_ms;
    int64_t grown = *left + (now_ms - *at_ms) * BYTES_PER_S / 1000;
    *left = allowances[who % PLACES].host != who || grown > BURST_BYTES ? BURST_BYTES : grown;
    *at_ms = now_ms;
    allowances[who % PLACES].host = who;
    bool may = *left >= cost;
    if (may)
        *left -= cost;
    pthread_mutex_unlock(&allowance_lock);
    return may;
}

/* ---- What it sends ---- */
struct intake {
    struct arena *arena;
    const struct monitored_member *members; /* of the host, in the order of their ids */
    size_t member_count;
    int64_t now_ms;
    struct buf lines;
    size_t foreign, out_of_time, unnamed;
    size_t late_count, late_room;
    uint64_t *late; /* hours that have to be made again: the member's place and the hour's number */
};

static int
compare_member(const void *key, const void *item)
{
    return memcmp(((const id *)key)->bytes, ((const struct monitored_member *)item)->member.bytes, ID_BYTES);
}

static bool
note_late(struct intake *intake, size_t place, int64_t hour)
{
    uint64_t what = (uint64_t)place << 32 | (uint64_t)hour;
    if ((hour + 1) * HOUR_MS + LATE_AFTER_MS > intake->now_ms)
        return true;
    if (intake->late_count > 0 && intake->late[intake->late_count - 1] == what)
        return true;
    if (intake->late_count == intake->late_room) {
        size_t room = intake->late_room == 0 ? 64 : intake->late_room * 2;
        uint64_t *more = ARENA_ARRAY(intake->arena, uint64_t, room);
        if (more == NULL)
            return false;
        if (intake->late_count > 0)
            memcpy(more, intake->late, intake->late_count * sizeof(*more));
        intake->late = more;
        intake->late_room = room;
    }
    intake->late[intake->late_count++] = what;
    return true;
}

/* A table has one name, however a host writes it: nobody would ask for another one. False: it is the name of no table. */
static bool
name_table(struct intake *intake, struct points_line *line)
{
    struct table_name name;
    if (line->scope != METRIC_TABLE)
        return true;
    line->name = table_name_read(intake->arena, line->name, &name) ? table_name_write(intake->arena, name) : STR_EMPTY;
    return line->name.len > 0;
}

static bool
take_line(struct intake *intake, struct points_line *line)
{
    const struct monitored_member *member =
        intake->member_count == 0
            ? NULL
            : bsearch(&line->member, intake->members, intake->member_count, sizeof(*intake->members), compare_member);
    if (member == NULL) {
        intake->foreign++;
        return true;
    }
    if (line->time_ms < intake->now_ms - raw_ms || line->time_ms > intake->now_ms + AHEAD_MS) {
        intake->out_of_time++;
        return true;
    }
    if (!name_table(intake, line)) {
        intake->unnamed++;
        return true;
    }
    struct monitor_owner owner = { .project = member->project, .cluster = member->cluster, .member = member->member };
    if (line->value_count > 0)
        monitor_line_add(&intake->lines, &owner, line);
    /* The last point of an hour is also the one before the first of the next. */
    size_t place = (size_t)(member - intake->members);
    int64_t hour = line->time_ms / HOUR_MS, next_hour = (line->time_ms + STEPS_LONGEST_GAP_MS) / HOUR_MS;
    return note_late(intake, place, hour) && (next_hour == hour || note_late(intake, place, next_hour));
}

/* The error's own sentence goes on behind it. */
static str
half_sentence(const char *sentence)
{
    str text = str_from(sentence);
    return str_ends_with(text, STR(".")) ? str_slice(text, 0, text.len - 1) : text;
}

static error
take_body(struct intake *intake, str body)
{
    struct points_line *line = ARENA_NEW(intake->arena, struct points_line);
    struct points_reader reader = points_read(body);
    enum points_found found = POINTS_END;
    while (line != NULL && (found = points_next(&reader, line)) == POINTS_LINE) {
        if (!take_line(intake, line))
            return fail(intake->arena, OVERLOADED);
    }
    if (found == POINTS_BAD)
        return fail(intake->arena, INVALID_ATTRIBUTE_VALUE,
                    V(str_format(intake->arena, "line %zu", reader.line_number)), V(half_sentence(reader.problem)));
    return line == NULL || intake->lines.failed ? fail(intake->arena, OVERLOADED) : OK;
}

/* ---- Hours that have to be made again ---- */
static int
compare_late(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static str
late_text(struct intake *intake)
{
    struct buf out = buf_in(intake->arena, intake->late_count * HOUR_TEXT_BYTES);
    qsort(intake->late, intake->late_count, sizeof(*intake->late), compare_late);
    for (size_t i = 0; i < intake->late_count; i++) {
        if (i > 0 && intake->late[i] == intake->late[i - 1])
            continue;
        char digits[ID_DIGITS + 1];
        id_write(intake->members[intake->late[i] >> 32].member, digits);
        buf_format(&out, "%s%s:%lld", i > 0 ? "," : "", digits, (long long)(intake->late[i] & UINT32_MAX) * HOUR_MS);
    }
    return buf_str(&out);
}

/* ---- ---- */
error
agent_read_points(struct request *req)
{
    return agent_read_number(req, "store", &req->agent->after);
}

static error
pass_on(struct request *req, size_t store)
{
    struct fleet *fleet = agents_fleet(req);
    struct monitored_member *members;
    struct intake intake = { .arena = req->arena,
                             .now_ms = clock_now_ms(),
                             .lines = buf_in(req->arena, LINES_MOST_BYTES) };
    str started, why;
    TRY(store_monitor_owners(fleet->store, req->arena, req->agent->host, &members, &intake.member_count));
    intake.members = members;
    TRY(take_body(&intake, req->in.body));
    if (intake.foreign > 0)
        refusal_note(req->agent->host, "agent_foreign_points",
                     STR("it sends points of a member that is on another host; they were dropped."));
    /* Before the store has them: an hour that is made once too often is no harm. */
    if (intake.late_count > 0)
        TRY(store_monitor_late(fleet->store, req->arena, req->agent->host, late_text(&intake)));
    if (!monitor_write(fleet->monitor, req->arena, store, buf_str(&intake.lines), &started, &why))
        return error_retry_after(req->arena, fail(req->arena, MEASUREMENTS_UNAVAILABLE, V(why)), 5);
    agent_answer(req, 200,
                 str_format(req->arena,
                            "{\"stores\":%zu,\"started\":\"%.*s\",\"foreign\":%zu,\"outOfTime\":%zu,\"unnamed\":%zu}",
                            monitor_stores_count(fleet->monitor), STR_ARG(started), intake.foreign, intake.out_of_time,
                            intake.unnamed));
    return OK;
}

error
agent_points(struct request *req)
{
    static atomic_int under_way;
    size_t count = monitor_stores_count(agents_fleet(req)->monitor);
    if (req->agent->after < 0 || (size_t)req->agent->after >= count) {
        agent_answer(req, 404, str_format(req->arena, "{\"stores\":%zu}", count));
        return OK;
    }
    if (req->in.body.len > POINTS_MOST_BYTES)
        return fail(req->arena, BODY_TOO_LARGE, V((int64_t)POINTS_MOST_BYTES));
    if (!may_send(req->agent->host, req->in.body.len))
        return error_retry_after(req->arena,
                                 fail(req->arena, RATE_LIMITED_TOKEN_BUCKET, V("points of a host"), V(1),
                                      V((int64_t)BURST_BYTES), V((int64_t)BYTES_PER_S), V(1)),
                                 1);
    if (atomic_fetch_add(&under_way, 1) >= WRITES_AT_ONCE) {
        atomic_fetch_sub(&under_way, 1);
        return error_retry_after(req->arena, fail(req->arena, OVERLOADED), 1);
    }
    error problem = pass_on(req, (size_t)req->agent->after);
    atomic_fetch_sub(&under_way, 1);
    return problem;
}
