/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/wal_state.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/disk.h"
#include "base/failpoint.h"
#include "base/json.h"

enum {
    MOST_SPANS = 200,
    MOST_OBSERVED = 128,
    MOST_HISTORIES = 1024,
    MOST_MARKS = 2048,
    SENTENCE = 512,
    FILE_BYTES = 4 * 1024 * 1024
};

struct span {
    int64_t ordinal;
    uint64_t from, to;
    uint32_t from_timeline, to_timeline;
    int64_t from_ms, to_ms; /* by the primary's clock; -1: not known yet */
    char ended_by[SENTENCE];
};

/* Everything that was committed by then, by the primary's clock, lies before that position. */
struct moment {
    uint64_t flushed;
    int64_t primary_ms;
};

/* The first part survives; the second is of this life. */
struct wal_state {
    pthread_mutex_t lock;
    char *folder;
    uint64_t segment_bytes;
    bool has_last, has_stanza;
    bool
        was_ahead; /* the primary's clock, since the span began: what it committed then looks later than all that follows */
    struct wal_place last;
    size_t span_count, history_count;
    struct span spans[MOST_SPANS]; /* the last goes on */
    uint32_t histories[MOST_HISTORIES];
    struct moment marks[MOST_MARKS]; /* oldest first: the last moment of each segment, of old ones only some */
    size_t mark_count;

    bool is_ahead_known; /* was_ahead is on the disk */
    struct wal_observation seen;
    uint64_t received;
    struct moment observed[MOST_OBSERVED]; /* a ring: moments that what is received does not cover yet */
    size_t observed_from, observed_count;
    char problems[2][SENTENCE];
};

static struct span *
current(struct wal_state *state)
{
    return state->span_count == 0 ? NULL : &state->spans[state->span_count - 1];
}

/* ---- On the disk ---- */
static json_t *
span_json(struct arena *arena, const struct span *span)
{
    return json_pack("{s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:s}", "ordinal", (json_int_t)span->ordinal,     //
                     "fromLsn", lsn_text(arena, span->from).data, "toLsn", lsn_text(arena, span->to).data, //
                     "fromTimeline", (json_int_t)span->from_timeline, "toTimeline",
                     (json_int_t)span->to_timeline, //
                     "fromMs", (json_int_t)span->from_ms, "toMs", (json_int_t)span->to_ms, "endedBy", span->ended_by);
}

static json_t *
spans_json(struct wal_state *state, struct arena *arena)
{
    json_t *spans = json_array();
    for (size_t i = 0; i < state->span_count; i++)
        json_array_append_new(spans, span_json(arena, &state->spans[i]));
    return spans;
}

static json_t *
marks_json(const struct wal_state *state)
{
    json_t *marks = json_array();
    for (size_t i = 0; i < state->mark_count; i++)
        json_array_append_new(
            marks, json_pack("[I, I]", (json_int_t)state->marks[i].flushed, (json_int_t)state->marks[i].primary_ms));
    return marks;
}

/* Under the lock. */
static error
remember(struct wal_state *state, struct arena *arena)
{
    static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 };
    str path = str_format(arena, "%s/" SEAT_MEMORY_FILE, state->folder);
    json_t *histories = json_array();
    for (size_t i = 0; i < state->history_count; i++)
        json_array_append_new(histories, json_integer(state->histories[i]));
    json_t *all = json_in(arena, json_pack("{s:I, s:b, s:o, s:I, s:I, s:b, s:b, s:o, s:o}", "segmentBytes",
                                           (json_int_t)state->segment_bytes,                            //
                                           "hasStanza", (int)state->has_stanza, "histories", histories, //
                                           "lastTimeline", (json_int_t)state->last.timeline, "lastSegment",
                                           (json_int_t)state->last.segment, //
                                           "hasLast", (int)state->has_last, "wasAhead", (int)state->was_ahead, "spans",
                                           spans_json(state, arena), "marks", marks_json(state)));
    str text = all == NULL ? STR_EMPTY : json_text(arena, all);
    failpoint("receive:remember:before");
    if (text.len == 0 || !disk_replace(path.data, text, 0600, unchanged))
        return problem(arena, "%s cannot be written: %s.", path.data, strerror(errno));
    failpoint("receive:remember:after");
    return OK;
}

static bool
read_span(const json_t *one, struct span *span)
{
    *span = (struct span){ .ordinal = json_integer_value(json_object_get(one, "ordinal")),
                           .from_timeline = (uint32_t)json_integer_value(json_object_get(one, "fromTimeline")),
                           .to_timeline = (uint32_t)json_integer_value(json_object_get(one, "toTimeline")),
                           .from_ms = json_integer_value(json_object_get(one, "fromMs")),
                           .to_ms = json_integer_value(json_object_get(one, "toMs")) };
    snprintf(span->ended_by, sizeof(span->ended_by), "%s", json_str(json_object_get(one, "endedBy")).data);
    return lsn_parse(json_str(json_object_get(one, "fromLsn")), &span->from) &&
           lsn_parse(json_str(json_object_get(one, "toLsn")), &span->to);
}

static void
read_marks(struct wal_state *state, const json_t *marks)
{
    const json_t *one;
    size_t i;
    json_array_foreach(marks, i, one)
    {
        if (state->mark_count < MOST_MARKS)
            state->marks[state->mark_count++] = (struct moment){ (uint64_t)json_integer_value(json_array_get(one, 0)),
                                                                 json_integer_value(json_array_get(one, 1)) };
    }
}

static bool
read_memory(struct wal_state *state, const json_t *said)
{
    const json_t *one;
    size_t i;
    if (!json_is_object(said) || !json_is_array(json_object_get(said, "spans")))
        return false;
    state->segment_bytes = (uint64_t)json_integer_value(json_object_get(said, "segmentBytes"));
    state->has_stanza = json_is_true(json_object_get(said, "hasStanza"));
    state->has_last = json_is_true(json_object_get(said, "hasLast"));
    state->was_ahead = state->is_ahead_known = json_is_true(json_object_get(said, "wasAhead"));
    state->last = (struct wal_place){ (uint32_t)json_integer_value(json_object_get(said, "lastTimeline")),
                                      (uint64_t)json_integer_value(json_object_get(said, "lastSegment")) };
    json_array_foreach(json_object_get(said, "histories"), i, one)
    {
        if (i < MOST_HISTORIES)
            state->histories[state->history_count++] = (uint32_t)json_integer_value(one);
    }
    json_array_foreach(json_object_get(said, "spans"), i, one)
    {
        if (i >= MOST_SPANS || !read_span(one, &state->spans[state->span_count++]))
            return false;
    }
    read_marks(state, json_object_get(said, "marks"));
    return !state->has_last || (state->span_count > 0 && state->segment_bytes > 0);
}

/*
 * Up to when everything was here in the life before: it was said every second, of files that were on the disk by then. If no primary
 * answers any more, because this history has ended, nobody else knows.
 */
static void
take_last_moment(struct wal_state *state, struct arena *arena)
{
    str path = str_format(arena, "%s/" SEAT_STATE_FILE, state->folder), text;
    struct span *span = current(state), said;
    if (span == NULL || !disk_read(arena, path.data, FILE_BYTES, &text))
        return;
    const json_t *spans = json_object_get(json_parse_own(arena, text), "spans");
    size_t count = json_array_size(spans);
    if (count == 0 || !read_span(json_array_get(spans, count - 1), &said) || said.ordinal != span->ordinal ||
        said.from != span->from)
        return;
    if (span->from_ms < 0)
        span->from_ms = said.from_ms;
    if (said.to_ms > span->to_ms)
        span->to_ms = said.to_ms;
}

error
wal_state_open(struct arena *arena, str folder, struct wal_state **ret_state)
{
    struct wal_state *state = calloc(1, sizeof(*state));
    str path = str_format(arena, "%s/" SEAT_MEMORY_FILE, folder.data), text;
    error why = OK;
    if (state == NULL || (state->folder = strdup(folder.data)) == NULL)
        why = fail(arena, OVERLOADED);
    else if (disk_read(arena, path.data, FILE_BYTES, &text) ? !read_memory(state, json_parse_own(arena, text))
                                                            : errno != ENOENT)
        why = problem(arena, "%s cannot be understood: whether WAL is missing would not be seen.", path.data);
    if (why != OK) {
        wal_state_close(state);
        return why;
    }
    take_last_moment(state, arena);
    pthread_mutex_init(&state->lock, NULL);
    *ret_state = state;
    return OK;
}

void
wal_state_close(struct wal_state *state)
{
    if (state == NULL)
        return;
    free(state->folder);
    free(state);
}

/* ---- What is in the repository ---- */
bool
wal_state_last(struct wal_state *state, struct wal_place *ret_last)
{
    pthread_mutex_lock(&state->lock);
    bool has_last = state->has_last;
    *ret_last = state->last;
    pthread_mutex_unlock(&state->lock);
    return has_last;
}

uint64_t
wal_state_segment_bytes(struct wal_state *state)
{
    pthread_mutex_lock(&state->lock);
    uint64_t bytes = state->segment_bytes;
    pthread_mutex_unlock(&state->lock);
    return bytes;
}

bool
wal_state_set_segment_bytes(struct wal_state *state, uint64_t bytes)
{
    pthread_mutex_lock(&state->lock);
    bool is_same = state->segment_bytes == 0 || state->segment_bytes == bytes;
    if (is_same)
        state->segment_bytes = bytes;
    pthread_mutex_unlock(&state->lock);
    return is_same;
}

/* Under the lock. The oldest that have ended make room: what they cover is long gone. */
static void
add_span(struct wal_state *state, struct wal_place place)
{
    int64_t ordinal = state->span_count == 0 ? 0 : current(state)->ordinal + 1;
    bool knows_time = state->seen.number > 0 && !wal_clocks_differ(state->seen.skew_ms);
    if (state->span_count == MOST_SPANS)
        memmove(state->spans, state->spans + 1, --state->span_count * sizeof(*state->spans));
    state->spans[state->span_count++] = (struct span){ .ordinal = ordinal,
                                                       .from = place.segment * state->segment_bytes,
                                                       .to = place.segment * state->segment_bytes,
                                                       .from_timeline = place.timeline,
                                                       .to_timeline = place.timeline,
                                                       .from_ms = knows_time ? state->seen.primary_ms : -1,
                                                       .to_ms = -1 };
}

/* Under the lock. */
static error
begin_span(struct wal_state *state, struct arena *arena, struct wal_place place, str reason)
{
    if (current(state) != NULL)
        snprintf(current(state)->ended_by, sizeof(current(state)->ended_by), "%.*s", STR_ARG(reason));
    add_span(state, place);
    /* What follows is of the new span: the file itself is not in the repository yet. */
    state->last = (struct wal_place){ place.timeline, place.segment - 1 };
    state->has_last = true;
    state->observed_count = 0;
    return remember(state, arena);
}

/* Under the lock. What was received and had not become a whole segment when a gap came is in no repository: its moments are not promised any longer. */
static void
forget_unstored_moments(struct wal_state *state)
{
    size_t marked = state->mark_count;
    if (state->span_count == 0)
        return;
    while (marked > 0 && state->marks[marked - 1].flushed > current(state)->to)
        marked--;
    /* Also of spans that this one goes on from: what they had last may have been in a segment of this one. */
    for (size_t i = state->span_count; i > 0; i--) {
        struct span *span = &state->spans[i - 1];
        int64_t stored_ms = marked == 0 ? span->from_ms : state->marks[marked - 1].primary_ms;
        if (span->to_ms > stored_ms)
            span->to_ms = stored_ms < span->from_ms ? span->from_ms : stored_ms;
        if (i == 1 || state->spans[i - 2].to != span->from)
            break;
    }
}

error
wal_state_begin_span(struct wal_state *state, struct arena *arena, struct wal_place place, str reason)
{
    pthread_mutex_lock(&state->lock);
    forget_unstored_moments(state);
    error why = begin_span(state, arena, place, reason);
    pthread_mutex_unlock(&state->lock);
    return why;
}

/*
 * Whoever goes to a moment stops at the first commit that looks later. So after a time in which the primary's clock was ahead nothing of a later moment
 * can be reached from a backup before it: a new span begins. It begins where the one before ends, so that everybody sees that no WAL is missing between the two.
 */
error
wal_state_follow_clock(struct wal_state *state, struct arena *arena)
{
    error why = OK;
    pthread_mutex_lock(&state->lock);
    bool is_right = state->seen.number > 0 && !wal_clocks_differ(state->seen.skew_ms);
    if (state->was_ahead && !state->is_ahead_known) {
        state->is_ahead_known = true;
        why = remember(state, arena);
    }
    if (why == OK && state->was_ahead && is_right && state->has_last) {
        state->was_ahead = state->is_ahead_known = false;
        why = begin_span(state, arena, (struct wal_place){ state->last.timeline, state->last.segment + 1 },
                         STR("The primary's clock was ahead of the repository host's."));
    }
    pthread_mutex_unlock(&state->lock);
    return why;
}

error
wal_state_pushed(struct wal_state *state, struct arena *arena, struct wal_place place)
{
    pthread_mutex_lock(&state->lock);
    if (current(state) == NULL)
        add_span(state, place);
    state->last = place;
    state->has_last = true;
    current(state)->to = (place.segment + 1) * state->segment_bytes;
    current(state)->to_timeline = place.timeline;
    error why = remember(state, arena);
    pthread_mutex_unlock(&state->lock);
    return why;
}

bool
wal_state_has_history(struct wal_state *state, uint32_t timeline)
{
    bool found = false;
    pthread_mutex_lock(&state->lock);
    for (size_t i = 0; i < state->history_count && !found; i++)
        found = state->histories[i] == timeline;
    pthread_mutex_unlock(&state->lock);
    return found;
}

error
wal_state_pushed_history(struct wal_state *state, struct arena *arena, uint32_t timeline)
{
    pthread_mutex_lock(&state->lock);
    if (state->history_count == MOST_HISTORIES)
        memmove(state->histories, state->histories + 1, --state->history_count * sizeof(*state->histories));
    state->histories[state->history_count++] = timeline;
    error why = remember(state, arena);
    pthread_mutex_unlock(&state->lock);
    return why;
}

bool
wal_state_has_stanza(struct wal_state *state)
{
    pthread_mutex_lock(&state->lock);
    bool has_stanza = state->has_stanza;
    pthread_mutex_unlock(&state->lock);
    return has_stanza;
}

error
wal_state_made_stanza(struct wal_state *state, struct arena *arena)
{
    pthread_mutex_lock(&state->lock);
    state->has_stanza = true;
    error why = remember(state, arena);
    pthread_mutex_unlock(&state->lock);
    return why;
}

/* ---- The window ---- */
/* Every second one stays, the last among them. */
static size_t
halve(struct moment *moments, size_t count)
{
    for (size_t i = 0; i < count / 2; i++)
        moments[i] = moments[i * 2 + 1];
    return count / 2;
}

/* Under the lock. Moments are kept until what they need has come; of too many every second one is enough. */
static void
keep_moment(struct wal_state *state, const struct wal_observation *seen)
{
    if (state->observed_count == MOST_OBSERVED)
        state->observed_count = halve(state->observed, MOST_OBSERVED);
    state->observed[state->observed_count++] = (struct moment){ seen->flushed, seen->primary_ms };
}

/*
 * Under the lock. One a segment, so that it can be said when a segment began that is found to be missing later. Of too many every second one is
 * left out: what is lost then is told too large, never too small.
 */
static void
mark(struct wal_state *state, struct moment covered)
{
    struct moment *last = state->mark_count == 0 ? NULL : &state->marks[state->mark_count - 1];
    if (state->segment_bytes == 0)
        return;
    if (last != NULL && last->flushed / state->segment_bytes == covered.flushed / state->segment_bytes) {
        *last = covered;
        return;
    }
    if (state->mark_count == MOST_MARKS)
        state->mark_count = halve(state->marks, MOST_MARKS);
    state->marks[state->mark_count++] = covered;
}

/*
 * On a new timeline positions begin again at the fork, so moments of the old one say nothing any more. And the primary's clock may have
 * been set: the window ends where its clock says, not at the largest number that was ever seen.
 */
void
wal_state_observe(struct wal_state *state, const struct wal_observation *seen, uint64_t received)
{
    pthread_mutex_lock(&state->lock);
    if (seen->timeline != state->seen.timeline)
        state->observed_count = 0;
    if (seen->number != state->seen.number)
        keep_moment(state, seen);
    state->seen = *seen;
    state->received = received;
    size_t covered = 0;
    while (covered < state->observed_count && state->observed[covered].flushed <= received)
        covered++;
    struct span *span = current(state);
    bool differs = wal_clocks_differ(seen->skew_ms);
    state->was_ahead |= differs && seen->skew_ms > 0 && span != NULL;
    if (differs || state->was_ahead) { /* nobody knows what time it is, or the next span begins */
        state->observed_count = 0;
    } else if (covered > 0 && span != NULL) {
        span->to_ms = state->observed[covered - 1].primary_ms;
        if (span->from_ms < 0)
            span->from_ms = span->to_ms;
        mark(state, state->observed[covered - 1]);
        state->observed_count -= covered;
        memmove(state->observed, state->observed + covered, state->observed_count * sizeof(*state->observed));
    }
    pthread_mutex_unlock(&state->lock);
}

void
wal_state_set_problem(struct wal_state *state, bool is_of_pusher, str sentence)
{
    pthread_mutex_lock(&state->lock);
    snprintf(state->problems[is_of_pusher], SENTENCE, "%.*s", STR_ARG(sentence));
    pthread_mutex_unlock(&state->lock);
}

/* ---- For the agent ---- */
/* Under the lock. What the primary's clock says now, less the moment up to which everything is here. */
static int64_t
lag_ms(struct wal_state *state)
{
    const struct span *span = current(state);
    if (state->seen.number == 0 || span == NULL || span->to_ms < 0)
        return -1;
    int64_t lag = state->seen.primary_ms + (clock_steady_ms() - state->seen.steady_ms) - span->to_ms;
    return lag < 0 ? 0 : lag;
}

static json_t *
status_json(struct wal_state *state, struct arena *arena)
{
    uint64_t behind = state->seen.flushed > state->received ? state->seen.flushed - state->received : 0;
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:s, s:I, s:s, s:s, s:o}",                                   //
                     "receivedLsn", state->received == 0 ? "" : lsn_text(arena, state->received).data,       //
                     "timeline", (json_int_t)(state->seen.number == 0 ? -1 : (int64_t)state->seen.timeline), //
                     "lagBytes", (json_int_t)(state->received == 0 ? -1 : (int64_t)behind),                  //
                     "lagMs", (json_int_t)lag_ms(state), "skewMs", (json_int_t)state->seen.skew_ms,          //
                     "serverVersion", state->seen.version, "atMs", (json_int_t)clock_now_ms(),               //
                     "receiveProblem", state->problems[0], "pushProblem", state->problems[1],                //
                     "spans", spans_json(state, arena));
}

bool
wal_state_publish(struct wal_state *state, struct arena *arena)
{
    str path = str_format(arena, "%s/" SEAT_STATE_FILE, state->folder), beside = str_format(arena, "%s.new", path.data);
    pthread_mutex_lock(&state->lock);
    json_t *status = json_in(arena, status_json(state, arena));
    pthread_mutex_unlock(&state->lock);
    str text = status == NULL ? STR_EMPTY : json_text(arena, status);
    FILE *file = text.len == 0 ? NULL : fopen(beside.data, "we");
    if (file == NULL)
        return false;
    bool written = fwrite(text.data, 1, text.len, file) == text.len;
    written = fclose(file) == 0 && written;
    return written && rename(beside.data, path.data) == 0;
}
