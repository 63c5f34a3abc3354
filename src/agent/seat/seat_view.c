/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_view.h"

#include "agent/seat/seat_spans.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/disk_below.h"
#include "engine/postgres/backup/keep.h"
#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/backup/wal_place.h"

enum { STATE_BYTES = 4 * 1024 * 1024, KEPT_BYTES = 80 * 1024 * 1024, SILENT_MS = 15000 };

static const json_t *
read_said(struct seat_pass *pass, const char *name, size_t most)
{
    str text;
    json_t *said = NULL;
    if (!disk_below_read(pass->arena, pass->folder.data, name, most, pass->owner.user, &text) ||
        json_parse_within(pass->arena, text, most, &said) != OK || !json_is_object(said))
        return NULL;
    return said;
}

struct seat_view
seat_view_read(struct seat_pass *pass)
{
    return seat_view_of(pass->arena, read_said(pass, SEAT_STATE_FILE, STATE_BYTES),
                        read_said(pass, SEAT_KEPT_FILE, KEPT_BYTES));
}

struct seat_view
seat_view_of(struct arena *arena, const json_t *wal, const json_t *kept)
{
    return (struct seat_view){ .wal = wal, .kept = kept, .spans = seat_spans(arena, wal, kept) };
}

/* ---- Values ---- */
static int64_t
number(const json_t *object, const char *name, int64_t otherwise)
{
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static str
moment(struct arena *arena, int64_t ms)
{
    return ms < 0 ? STR_EMPTY : date_text(arena, ms);
}

const json_t *
seat_view_backups(const struct seat_view *view)
{
    return keep_backups(json_object_get(view->kept, "info"));
}

str
seat_annotation(const json_t *backup, const char *name)
{
    return json_text_at(json_object_get(backup, "annotation"), name);
}

static int64_t
annotated_number(const json_t *backup, const char *name, int64_t otherwise)
{
    int64_t value;
    return str_to_int(seat_annotation(backup, name), INT64_MIN, INT64_MAX, &value) ? value : otherwise;
}

static int64_t
stop_here_ms(const json_t *backup)
{
    return number(json_object_get(backup, "timestamp"), "stop", 0) * 1000;
}

/* By the primary's clock, as it was against this host's when the backup was made. */
static int64_t
stop_ms(const json_t *backup)
{
    return stop_here_ms(backup) + annotated_number(backup, "skew", 0);
}

/* ---- WAL without a gap ---- */
static const json_t *
current_span(const struct seat_view *view)
{
    size_t count = json_array_size(view->spans);
    return count == 0 ? NULL : json_array_get(view->spans, count - 1);
}

static bool
lsn_of(const json_t *object, const char *name, uint64_t *ret_lsn)
{
    return lsn_parse(json_text_at(object, name), ret_lsn);
}

static bool
begins_in(const json_t *span, const json_t *backup)
{
    uint64_t from, to, start;
    bool has_ended = json_text_at(span, "endedBy").len > 0;
    return lsn_of(span, "fromLsn", &from) && lsn_of(span, "toLsn", &to) &&
           lsn_of(json_object_get(backup, "lsn"), "start", &start) && from <= start && (!has_ended || start < to);
}

static bool
ends_in(const json_t *span, const json_t *backup)
{
    uint64_t to, stop;
    return begins_in(span, backup) && lsn_of(span, "toLsn", &to) &&
           lsn_of(json_object_get(backup, "lsn"), "stop", &stop) && stop <= to;
}

enum report_copy_state
seat_view_state(const struct seat_view *view, const json_t *backup, str *ret_problem)
{
    const json_t *span;
    size_t i;
    *ret_problem = STR_EMPTY;
    if (json_is_true(json_object_get(backup, "error"))) {
        str damage = json_text_at(backup, "damage");
        *ret_problem = damage.len > 0 ? damage : STR("Pages with wrong checksums were found.");
        return COPY_FAILED;
    }
    json_array_foreach(view->spans, i, span)
    {
        if (ends_in(span, backup))
            return COPY_COMPLETED;
    }
    if (current_span(view) == NULL || begins_in(current_span(view), backup))
        return COPY_IN_PROGRESS;
    *ret_problem = STR("WAL that it needs is missing.");
    return COPY_FAILED;
}

str
seat_view_end(const struct seat_view *view, const json_t *backup, int64_t *ret_timeline)
{
    const json_t *span;
    size_t i;
    *ret_timeline = number(view->wal, "timeline", -1);
    if (current_span(view) != NULL && ends_in(current_span(view), backup))
        return json_text_at(view->wal, "receivedLsn");
    json_array_foreach(view->spans, i, span)
    {
        if (!ends_in(span, backup))
            continue;
        *ret_timeline = number(span, "toTimeline", -1);
        return json_text_at(span, "toLsn");
    }
    return STR_EMPTY;
}

bool
seat_view_receives(const struct seat_view *view)
{
    return json_text_at(view->wal, "receivedLsn").len > 0 && json_text_at(view->wal, "receiveProblem").len == 0;
}

int64_t
seat_view_newest_full_ms(const struct seat_view *view)
{
    int64_t newest = -1;
    bool is_damaged = false;
    const json_t *backup;
    size_t i;
    json_array_foreach(seat_view_backups(view), i, backup)
    {
        int64_t at = stop_here_ms(backup);
        bool is_usable = str_is(json_text_at(backup, "type"), "full") &&
                         !json_is_true(json_object_get(backup, "error")) &&
                         (current_span(view) == NULL || begins_in(current_span(view), backup));
        newest = is_usable && at > newest ? at : newest;
        is_damaged = str_is(json_text_at(backup, "type"), "full") ? json_text_at(backup, "damage").len > 0 : is_damaged;
    }
    return is_damaged ? -1 : newest; /* the next would build on the last one, whatever is before it */
}

/* ---- The report ---- */
static struct wire_texts
words_of(struct arena *arena, str list, char separator)
{
    struct wire_texts words = { .items = ARENA_ARRAY(arena, str, list.len + 1) };
    while (words.items != NULL && list.len > 0) {
        str word = str_cut(&list, separator);
        if (word.len > 0)
            words.items[words.count++] = str_dup(arena, word);
    }
    return words;
}

static struct wire_texts
needs_of(struct arena *arena, const json_t *backup)
{
    const json_t *all = json_object_get(backup, "reference"), *one;
    struct wire_texts needs = { .items = ARENA_ARRAY(arena, str, json_array_size(all) + 1) };
    size_t i;
    if (needs.items == NULL)
        return needs;
    json_array_foreach(all, i, one) needs.items[needs.count++] = json_str(one);
    return needs;
}

/* Where the WAL begins that it needs; of which only the timeline is used, so that the size of segments does not matter. */
static bool
archive_start(const json_t *backup, struct wal_place *ret_place)
{
    return wal_place_parse(json_text_at(json_object_get(backup, "archive"), "start"), 1 << 20, ret_place);
}

static bool
read_copy(struct seat_pass *pass, const struct seat_view *view, const json_t *backup, struct report_copy *copy)
{
    struct arena *arena = pass->arena;
    const json_t *info = json_object_get(backup, "info"), *lsn = json_object_get(backup, "lsn");
    struct wal_place place;
    str problem_text;
    *copy = (struct report_copy){
        .label = json_text_at(backup, "label"),
        .type = str_is(json_text_at(backup, "type"), "full") ? STR("FULL") : STR("INCR"),
        .needs = needs_of(arena, backup),
        .state = seat_view_state(view, backup, &problem_text),
        .frequency = seat_annotation(backup, "frequency"),
        .policy_items = words_of(arena, seat_annotation(backup, "items"), ','),
        .created_at = moment(arena, annotated_number(backup, "created", -1)),
        .finished_at = moment(arena, stop_ms(backup)),
        .expires_at = moment(arena, annotated_number(backup, "expires", -1)),
        .timeline = -1,
        .start_lsn = json_text_at(lsn, "start"),
        .stop_lsn = json_text_at(lsn, "stop"),
        .size_bytes = number(info, "size", -1),
        .delta_bytes = number(json_object_get(info, "repository"), "delta", -1),
        .server_version = seat_annotation(backup, "server"),
    };
    copy->problem = problem_text;
    if (archive_start(backup, &place))
        copy->timeline = place.timeline;
    return id_parse(seat_annotation(backup, "snapshot"), &copy->snapshot);
}

/* The full backup before which WAL was removed; NULL: none was. */
static const json_t *
first_with_wal(const struct seat_view *view)
{
    int64_t shortened_ms = number(view->kept, "shortenedMs", 0);
    const json_t *backup;
    size_t i;
    json_array_foreach(seat_view_backups(view), i, backup)
    {
        if (shortened_ms > 0 && str_is(json_text_at(backup, "type"), "full") && stop_here_ms(backup) >= shortened_ms)
            return backup;
    }
    return NULL;
}

/* As much of a span as is still there. False: nothing. */
static bool
read_span(struct arena *arena, const json_t *span, const json_t *first, struct report_span *ret_span)
{
    uint64_t from, start;
    struct wal_place place;
    *ret_span = (struct report_span){ .ordinal = number(span, "ordinal", 0),
                                      .from_lsn = json_text_at(span, "fromLsn"),
                                      .to_lsn = json_text_at(span, "toLsn"),
                                      .from_timeline = number(span, "fromTimeline", -1),
                                      .to_timeline = number(span, "toTimeline", -1),
                                      .from_at = moment(arena, number(span, "fromMs", -1)),
                                      .to_at = moment(arena, number(span, "toMs", -1)),
                                      .ended_by = json_text_at(span, "endedBy") };
    if (!lsn_of(span, "fromLsn", &from) || !lsn_of(json_object_get(first, "lsn"), "start", &start) || start <= from)
        return true;
    if (!begins_in(span, first))
        return false;
    ret_span->from_lsn = json_text_at(json_object_get(first, "lsn"), "start");
    ret_span->from_at = moment(arena, stop_ms(first));
    if (archive_start(first, &place))
        ret_span->from_timeline = place.timeline;
    return true;
}

/* From the end of the first backup in the newest span that has one, to where WAL has come. */
static void
report_window(struct seat_pass *pass, const struct seat_view *view, struct report_seat *report)
{
    const json_t *spans = view->spans, *backup;
    int64_t shortened_ms = number(view->kept, "shortenedMs", 0); /* moments before it cannot be reached */
    for (size_t k = json_array_size(spans); k > 0; k--) {
        const json_t *span = json_array_get(spans, k - 1);
        int64_t from = -1, to = number(span, "toMs", -1);
        size_t i;
        json_array_foreach(seat_view_backups(view), i, backup)
        {
            int64_t at = stop_ms(backup);
            if (ends_in(span, backup) && !json_is_true(json_object_get(backup, "error")) &&
                stop_here_ms(backup) >= shortened_ms && (from < 0 || at < from))
                from = at;
        }
        if (from >= 0 && to >= from) {
            report->window_from = moment(pass->arena, from);
            report->window_to = moment(pass->arena, to);
            return;
        }
    }
}

int64_t
seat_view_skew_ms(const struct seat_view *view)
{
    return number(view->wal, "skewMs", 0);
}

bool
seat_view_clocks_differ(const struct seat_view *view)
{
    return wal_clocks_differ(seat_view_skew_ms(view));
}

static str
clock_problem(struct arena *arena, const struct seat_view *view)
{
    int64_t skew_s = seat_view_skew_ms(view) / 1000;
    if (!seat_view_clocks_differ(view))
        return STR_EMPTY;
    return str_format(arena,
                      "The primary's clock is %lld s %s the repository host's: set both by a time server. Until then "
                      "no moment is added to what can be restored, and no WAL is removed.",
                      (long long)(skew_s < 0 ? -skew_s : skew_s), skew_s < 0 ? "behind" : "ahead of");
}

static void
report_receiver(struct arena *arena, const struct seat_view *view, struct report_seat *report)
{
    int64_t silent_ms = clock_now_ms() - number(view->wal, "atMs", 0), lag = number(view->wal, "lagMs", -1);
    str receiving = json_text_at(view->wal, "receiveProblem"), pushing = json_text_at(view->wal, "pushProblem");
    report->received_lsn = json_text_at(view->wal, "receivedLsn");
    report->timeline = number(view->wal, "timeline", -1);
    report->lag_bytes = number(view->wal, "lagBytes", -1);
    report->lag_ms = lag < 0 ? -1 : lag + (silent_ms > 0 ? silent_ms : 0);
    report->problem = silent_ms > SILENT_MS ? STR("The receiver of WAL says nothing.")
                      : receiving.len > 0   ? receiving
                      : pushing.len > 0     ? pushing
                                            : json_text_at(view->kept, "backupProblem");
    if (report->problem.len == 0)
        report->problem = json_text_at(view->kept, "removeProblem");
    if (report->problem.len == 0)
        report->problem = json_text_at(view->kept, "lookProblem");
    if (report->problem.len == 0)
        report->problem = clock_problem(arena, view);
}

struct report_seat
seat_view_unseen(id seat, str unit)
{
    return (struct report_seat){ .id = seat,
                                 .unit = unit,
                                 .problem = STR_EMPTY,
                                 .received_lsn = STR_EMPTY,
                                 .timeline = -1,
                                 .lag_bytes = -1,
                                 .lag_ms = -1,
                                 .window_from = STR_EMPTY,
                                 .window_to = STR_EMPTY,
                                 .used_bytes = -1 };
}

void
seat_view_report(struct seat_pass *pass, const struct seat_view *view, size_t more, struct report_seat *report,
                 struct report_copy **ret_copies)
{
    const json_t *spans = view->spans, *backups = seat_view_backups(view), *one;
    const json_t *first = first_with_wal(view);
    struct report_span *span_list = ARENA_ARRAY(pass->arena, struct report_span, json_array_size(spans) + 1);
    struct report_copy *copies = ARENA_ARRAY(pass->arena, struct report_copy, json_array_size(backups) + more + 1);
    size_t i;
    report->used_bytes = number(view->kept, "usedBytes", -1);
    *ret_copies = copies;
    if (span_list == NULL || copies == NULL) {
        *ret_copies = NULL;
        return;
    }
    if (view->wal != NULL)
        report_receiver(pass->arena, view, report);
    json_array_foreach(spans, i, one)
    {
        if (read_span(pass->arena, one, first, &span_list[report->span_count]))
            report->span_count++;
    }
    json_array_foreach(backups, i, one)
    {
        if (read_copy(pass, view, one, &copies[report->copy_count]))
            report->copy_count++;
    }
    report->spans = span_list;
    report->copies = view->kept == NULL ? NULL : copies;
    report_window(pass, view, report);
}
