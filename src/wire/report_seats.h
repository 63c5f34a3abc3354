/* SPDX-License-Identifier: Apache-2.0 */
/* What a repository host reports about its seats (docs/internals/backups.md). */
#ifndef WIRE_REPORT_SEATS_H
#define WIRE_REPORT_SEATS_H

#include "base/id.h"
#include "wire/shape.h"

/* Times are texts as date_text() writes them, positions as PostgreSQL does ("0/5000148"). Empty and -1: not known, written as null. */
struct report_span {
    int64_t ordinal;
    str from_lsn, to_lsn;
    int64_t from_timeline, to_timeline;
    str from_at, to_at;
    str ended_by; /* a sentence; empty: it goes on */
};

enum report_copy_state { COPY_IN_PROGRESS, COPY_COMPLETED, COPY_FAILED };
extern const char *const report_copy_words[]; /* by the enum; NULL at the end */

struct report_copy { /* of a snapshot */
    id snapshot;
    str label, type; /* empty until there is one; FULL or INCR */
    struct wire_texts needs;
    enum report_copy_state state;
    str frequency; /* empty: somebody asked for it */
    struct wire_texts policy_items;
    str created_at, finished_at, expires_at;
    int64_t timeline;
    str start_lsn, stop_lsn;
    int64_t size_bytes, delta_bytes;
    str server_version;
    str problem;
};

/* Of a drill (docs/internals/drills.md). WAITING: it cannot be run now, and `problem` says why. */
enum report_drill_state { DRILL_WAITING, DRILL_RUNNING, DRILL_PASSED, DRILL_FAILED };
extern const char *const report_drill_words[]; /* by the enum; NULL at the end */
enum report_check_result { CHECK_PASSED, CHECK_FAILED, CHECK_SKIPPED };
extern const char *const report_check_words[]; /* by the enum; NULL at the end */

struct report_phase {
    str name, started_at;
    int64_t ms; /* -1: it goes on */
};
struct report_check {
    str name, database;
    enum report_check_result result;
    str sentence;
    int64_t tables, rows; /* -1: it counted none */
};
struct report_drill {
    id id; /* zero: there is none */
    enum report_drill_state state;
    str problem, label, started_at, finished_at;
    str recovery_point; /* up to when the data came back: the last commit that was replayed, or the backup itself */
    int64_t rto_ms, data_bytes; /* until the database could be used; how large it was */
    str server_version;
    size_t phase_count, check_count;
    const struct report_phase *phases;
    const struct report_check *checks;
};

/* Of an export (docs/internals/exports.md). WAITING: it cannot be run now, and `problem` says why. */
enum report_export_state { EXPORT_WAITING, EXPORT_RUNNING, EXPORT_SUCCEEDED, EXPORT_FAILED };
extern const char *const report_export_words[]; /* by the enum; NULL at the end */
struct report_export {
    id id; /* zero: there is none */
    enum report_export_state state;
    str code, problem; /* why it failed, in a word and in a sentence */
    str started_at, finished_at;
    int64_t tables_done, tables_total; /* -1: not known yet */
};

/* Of a download (docs/internals/downloads.md). ABSENT: nothing is left of it. */
enum report_download_state {
    REPORT_DOWNLOAD_WAITING,
    REPORT_DOWNLOAD_RUNNING,
    REPORT_DOWNLOAD_READY,
    REPORT_DOWNLOAD_FAILED,
    REPORT_DOWNLOAD_ABSENT,
};
extern const char *const report_download_words[]; /* by the enum; NULL at the end */
struct report_download {
    id id; /* zero: there is none */
    enum report_download_state state;
    str problem;
    int64_t bytes; /* of the file */
    str sha256;
};

struct report_seat {
    id id;
    str unit; /* of the receiver, as systemd says */
    str problem;
    str received_lsn;
    int64_t timeline, lag_bytes, lag_ms;
    str window_from, window_to;
    int64_t used_bytes;
    size_t span_count, copy_count;
    const struct report_span *spans;
    const struct report_copy *copies; /* NULL: what is there is not known now, and nothing follows from it */
    struct report_drill drill;
    struct report_export export_job;
    struct report_download download;
};

/* As a report has it. Empty when the arena is full. */
str report_seat_text(struct arena *arena, const struct report_seat *seat);

#endif
