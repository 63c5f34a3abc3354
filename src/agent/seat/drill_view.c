/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/drill_view.h"

#include "base/clock.h"
#include "base/date.h"
#include "engine/postgres/backup/wal_place.h"
#include "engine/problem.h"

enum {
    SAID_BYTES = 1024 * 1024,
    MOST_PHASES = 8,
    MOST_CHECKS = 256,
    NAME_BYTES = 160,
    SENTENCE_BYTES = 512,
    DAY_MS = 24 * 3600 * 1000,
    /* A transaction without content is committed every minute (engine/postgres/backup/wal_source.c), so this much may be missing of an idle database. */
    HEARTBEATS_MS = 150 * 1000,
};

static const char *const phase_words[] = { "restore", "wal", "recover", "check", NULL };

/* ---- Values ---- */
static str
text(const json_t *object, const char *name, size_t most)
{
    str value = json_str(json_object_get(object, name));
    value = value.data == NULL ? STR_EMPTY : value;
    return value.len > most ? str_slice(value, 0, most) : value;
}

static int64_t
number(const json_t *object, const char *name, int64_t most)
{
    const json_t *value = json_object_get(object, name);
    int64_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    return number < 0 || number > most ? -1 : number;
}

/* Cut in the middle of a character, jansson would not take it. */
static json_t *
string(str value)
{
    while (value.len > 0 && !str_is_text(value))
        value.len--;
    return json_stringn(value.data, value.len);
}

/* ---- What has a meaning ---- */
static json_t *
phases_of(const json_t *said)
{
    json_t *phases = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(said, "phases"), i, one)
    {
        int word = str_word(text(one, "name", NAME_BYTES), phase_words);
        if (word >= 0 && i < MOST_PHASES)
            json_array_append_new(phases, json_pack("{s:s, s:I, s:I}", "name", phase_words[word], "startedMs",
                                                    (json_int_t)number(one, "startedMs", clock_now_ms() + DAY_MS), "ms",
                                                    (json_int_t)number(one, "ms", INT32_MAX)));
    }
    return phases;
}

static json_t *
checks_of(const json_t *said)
{
    json_t *checks = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(said, "checks"), i, one)
    {
        int word = str_word(text(one, "result", NAME_BYTES), report_check_words);
        if (word < 0 || i >= MOST_CHECKS)
            continue;
        json_t *check =
            json_pack("{s:s, s:I, s:I}", "result", report_check_words[word], "tables",
                      (json_int_t)number(one, "tables", INT64_MAX), "rows", (json_int_t)number(one, "rows", INT64_MAX));
        json_object_set_new(check, "name", string(text(one, "name", NAME_BYTES)));
        json_object_set_new(check, "database", string(text(one, "database", NAME_BYTES)));
        json_object_set_new(check, "sentence", string(text(one, "sentence", SENTENCE_BYTES)));
        json_array_append_new(checks, check);
    }
    return checks;
}

json_t *
drill_view_of(struct arena *arena, str said_text)
{
    json_t *said = NULL;
    if (json_parse_within(arena, said_text, SAID_BYTES, &said) != OK || !json_is_object(said))
        return NULL;
    json_t *view = json_in(arena, json_pack("{s:o, s:o, s:b, s:I, s:I, s:I, s:I}", "phases", phases_of(said), "checks",
                                            checks_of(said), "isDone",
                                            (int)json_is_true(json_object_get(said, "isDone")), "recoveryPointMs",
                                            (json_int_t)number(said, "recoveryPointMs", clock_now_ms() + DAY_MS),
                                            "dataBytes", (json_int_t)number(said, "dataBytes", INT64_MAX),
                                            "segmentBytes", (json_int_t)number(said, "segmentBytes", INT32_MAX),
                                            "timeline", (json_int_t)number(said, "timeline", UINT32_MAX)));
    if (view == NULL)
        return NULL;
    json_object_set_new(view, "problem", string(text(said, "problem", SENTENCE_BYTES)));
    json_object_set_new(view, "endLsn", string(text(said, "endLsn", NAME_BYTES)));
    json_object_set_new(view, "serverVersion", string(text(said, "serverVersion", NAME_BYTES)));
    return view;
}

bool
drill_view_is_done(const json_t *said)
{
    return json_is_true(json_object_get(said, "isDone"));
}

/* ---- The report ---- */
static str
moment(struct arena *arena, int64_t ms)
{
    return ms < 0 ? STR_EMPTY : date_text(arena, ms);
}

/* Until the database could be used: everything before the checks. -1: not all of it was done. */
static int64_t
ready_after_ms(const struct report_drill *drill)
{
    int64_t all = 0;
    size_t done = 0;
    for (size_t i = 0; i < drill->phase_count; i++) {
        if (str_is(drill->phases[i].name, "check") || drill->phases[i].ms < 0)
            continue;
        all += drill->phases[i].ms;
        done++;
    }
    return done == 3 ? all : -1;
}

static void
add_phases(struct arena *arena, const json_t *said, struct report_phase *phases, size_t *count)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(said, "phases"), i, one)
    {
        if (*count < 2 * (size_t)MOST_PHASES)
            phases[(*count)++] = (struct report_phase){ text(one, "name", NAME_BYTES),
                                                        moment(arena, number(one, "startedMs", INT64_MAX)),
                                                        number(one, "ms", INT64_MAX) };
    }
}

static void
add_checks(const json_t *said, struct report_check *checks, size_t *count)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(said, "checks"), i, one)
    {
        int word = str_word(text(one, "result", NAME_BYTES), report_check_words);
        if (word >= 0 && *count < MOST_CHECKS)
            checks[(*count)++] = (struct report_check){ .name = text(one, "name", NAME_BYTES),
                                                        .database = text(one, "database", NAME_BYTES),
                                                        .result = (enum report_check_result)word,
                                                        .sentence = text(one, "sentence", SENTENCE_BYTES),
                                                        .tables = number(one, "tables", INT64_MAX),
                                                        .rows = number(one, "rows", INT64_MAX) };
    }
}

/* Up to when the data came back: the last commit that was replayed, and where nothing was committed since, the backup itself. */
static int64_t
recovered_until_ms(const json_t *proved, int64_t backup_ms)
{
    int64_t committed_ms = number(proved, "recoveryPointMs", INT64_MAX);
    return committed_ms > backup_ms ? committed_ms : backup_ms;
}

void
drill_view_report(struct arena *arena, const json_t *fetched, const json_t *proved, int64_t backup_ms,
                  struct report_drill *drill)
{
    struct report_phase *phases = ARENA_ARRAY(arena, struct report_phase, 2 * MOST_PHASES);
    struct report_check *checks = ARENA_ARRAY(arena, struct report_check, MOST_CHECKS);
    drill->phase_count = drill->check_count = 0;
    if (phases == NULL || checks == NULL)
        return;
    add_phases(arena, fetched, phases, &drill->phase_count);
    add_phases(arena, proved, phases, &drill->phase_count);
    add_checks(proved, checks, &drill->check_count);
    drill->phases = phases;
    drill->checks = checks;
    drill->rto_ms = ready_after_ms(drill);
    drill->recovery_point = drill->rto_ms >= 0 ? moment(arena, recovered_until_ms(proved, backup_ms)) : STR_EMPTY;
    drill->data_bytes = number(proved, "dataBytes", INT64_MAX);
    drill->server_version = text(proved, "serverVersion", NAME_BYTES);
}

/* ---- What follows ---- */
/* Everything that can be restored according to the report must have come back. */
static error
judge_recovery_point(struct arena *arena, const json_t *proved, const struct drill_promise *promise)
{
    int64_t reached = recovered_until_ms(proved, promise->backup_ms);
    if (promise->until_ms < 0 || reached >= promise->until_ms - HEARTBEATS_MS)
        return OK;
    return problem(arena, "Moments up to %s could be restored, as was reported; what came back ends at %s.",
                   date_text(arena, promise->until_ms).data, date_text(arena, reached).data);
}

/*
 * And all WAL that was received: PostgreSQL takes a piece that is damaged or missing for the end of it. On another timeline, which a failover began meanwhile,
 * positions begin again at the fork.
 */
static error
judge_end(struct arena *arena, const json_t *fetched, const json_t *proved, const struct drill_promise *promise)
{
    uint64_t end, reached;
    str said = text(proved, "endLsn", NAME_BYTES);
    int64_t segment_bytes = number(fetched, "segmentBytes", INT32_MAX);
    if (!lsn_parse(promise->lsn, &end) || !lsn_parse(said, &reached) || segment_bytes <= 0 ||
        number(fetched, "timeline", UINT32_MAX) != promise->timeline ||
        wal_reaches(reached, end, (uint64_t)segment_bytes))
        return OK;
    return problem(arena, "WAL up to %.*s was received, and recovery ended at %.*s.", STR_ARG(promise->lsn),
                   STR_ARG(said));
}

static error
judge_checks(struct arena *arena, const json_t *proved)
{
    const json_t *one;
    size_t i;
    bool has_structure = false, has_sums = false;
    json_array_foreach(json_object_get(proved, "checks"), i, one)
    {
        str name = text(one, "name", NAME_BYTES), database = text(one, "database", NAME_BYTES);
        if (str_is(text(one, "result", NAME_BYTES), "FAILED"))
            return problem(arena, "%.*s%s%.*s: %.*s", STR_ARG(name), database.len > 0 ? " in " : "", STR_ARG(database),
                           STR_ARG(text(one, "sentence", SENTENCE_BYTES)));
        has_structure |= str_is(name, "amcheck");
        has_sums |= str_is(name, "checksums");
    }
    return has_structure && has_sums ? OK : problem(arena, "It did not say that everything was looked at.");
}

error
drill_view_judge(struct arena *arena, const json_t *fetched, const json_t *proved, const struct drill_promise *promise)
{
    const json_t *both[] = { fetched, proved };
    for (size_t i = 0; i < LENGTH(both); i++) {
        str why = text(both[i], "problem", SENTENCE_BYTES);
        if (why.len > 0)
            return problem(arena, "%.*s", STR_ARG(why));
    }
    TRY(judge_recovery_point(arena, proved, promise));
    TRY(judge_end(arena, fetched, proved, promise));
    return judge_checks(arena, proved);
}
