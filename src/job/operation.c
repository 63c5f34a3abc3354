/* SPDX-License-Identifier: Apache-2.0 */
#include "job/operation.h"

#include "base/json.h"
#include "base/metric.h"
#include "store/backup/drill.h"
#include "store/backup/seat.h"

enum { LIST_MAX_BYTES = 16 * 1024 * 1024, METRICS_MAX_BYTES = 256 * 1024 };

const char *const job_states[] = { JOB_STATE_WORDS, NULL };
const char *const operation_step_states[] = {
    [STEP_IS_PENDING] = "PENDING",
    [STEP_IS_RUNNING] = "RUNNING",
    [STEP_IS_WAITING] = "WAITING",
    [STEP_IS_DONE] = "DONE",
    [STEP_IS_FAILED] = "FAILED",
    [STEP_IS_CANCELLED] = "CANCELLED",
    NULL,
};

/* ---- Steps ---- */

/* A word of a version that knows more states is a job that somebody works on. */
static enum job_state
state_of(const json_t *job)
{
    int state = str_word(json_str(json_object_get(job, "state")), job_states);
    return state < 0 ? JOB_RUNNING : (enum job_state)state;
}

/* Of the step that the job is at. */
static enum operation_step_state
current_state(const json_t *job)
{
    switch (state_of(job)) {
    case JOB_QUEUED: return STEP_IS_PENDING;
    case JOB_RUNNING: return json_object_get(job, "waitsFor") != NULL ? STEP_IS_WAITING : STEP_IS_RUNNING;
    case JOB_FAILED: return STEP_IS_FAILED;
    case JOB_CANCELLED: return STEP_IS_CANCELLED;
    case JOB_DONE: break;
    }
    return STEP_IS_DONE;
}

static void
add_step(json_t *steps, const char *name, const char *doc, enum operation_step_state state, const json_t *started,
         const json_t *finished)
{
    json_t *step =
        json_pack("{s:s, s:s, s:s}", "name", name, "description", doc, "state", operation_step_states[state]);
    if (started != NULL)
        json_object_set(step, "startedAt", (json_t *)started);
    if (finished != NULL)
        json_object_set(step, "finishedAt", (json_t *)finished);
    json_array_append_new(steps, step);
}

/* A step begins when the one before it is done, so the times of all of them are known from when each was done. */
static json_t *
steps_of_kind(const struct job_kind *kind, const json_t *job, const json_t *done)
{
    json_t *steps = json_array();
    size_t at = job_step_find(kind, json_str(json_object_get(job, "currentStep")));
    const json_t *before = json_object_get(job, "startedAt");
    for (size_t i = 0; i < kind->count; i++) {
        const struct job_step_row *row = &kind->steps[i];
        const json_t *finished = json_object_get(done, row->name);
        if (i < at || state_of(job) == JOB_DONE)
            add_step(steps, row->name, row->doc, STEP_IS_DONE, before, finished);
        else if (i == at)
            add_step(steps, row->name, row->doc, current_state(job), json_object_get(job, "stepStartedAt"), NULL);
        else
            add_step(steps, row->name, row->doc, STEP_IS_PENDING, NULL, NULL);
        before = finished;
    }
    return steps;
}

/* A job of a version that has kinds which this one has not: what is known is what was done, and where it is. */
static json_t *
steps_seen(const json_t *job, json_t *done)
{
    json_t *steps = json_array(), *finished;
    const json_t *before = json_object_get(job, "startedAt");
    const char *name;
    const json_t *current = json_object_get(job, "currentStep");
    json_object_foreach(done, name, finished)
    {
        add_step(steps, name, "", STEP_IS_DONE, before, finished);
        before = finished;
    }
    if (current != NULL && json_object_get(done, json_string_value(current)) == NULL)
        add_step(steps, json_string_value(current), "", current_state(job), json_object_get(job, "stepStartedAt"),
                 NULL);
    return steps;
}

static json_t *
with_steps(struct arena *arena, const struct job_kind *const *kinds, str document, str done)
{
    json_t *job = json_parse_own(arena, document), *dates = json_parse_own(arena, done);
    const struct job_kind *kind = job_kind_find(kinds, json_str(json_object_get(job, "kind")));
    json_object_set_new(job, "steps", kind != NULL ? steps_of_kind(kind, job, dates) : steps_seen(job, dates));
    return job;
}

str
operation_document(struct arena *arena, const struct job_kind *const *kinds, str document, str done)
{
    json_t *job = with_steps(arena, kinds, document, done);
    json_object_del(job, "stepStartedAt");
    return json_text(arena, job);
}

/* ---- For operators ---- */

error
job_report_list(struct store *store, struct arena *arena, const struct job_filter *filter, str *ret_document)
{
    struct rows rows;
    struct buf out = buf_in(arena, LIST_MAX_BYTES);
    TRY(store_job_list(store, arena, filter, &rows));
    buf_add_text(&out, "{\"results\":[");
    for (int row = 0; row < rows.count; row++) {
        buf_add_text(&out, row == 0 ? "" : ",");
        buf_add(&out, rows_text(&rows, row, C_DOCUMENT));
    }
    buf_add_text(&out, "]}");
    *ret_document = buf_str(&out);
    return ret_document->len == 0 ? fail(arena, OVERLOADED) : OK;
}

error
job_report_one(struct store *store, struct arena *arena, const struct job_kind *const *kinds, id job, str *ret_document)
{
    struct job_record record;
    *ret_document = STR_EMPTY;
    TRY(store_job_get(store, arena, job, &record));
    if (!record.found)
        return OK;
    json_t *document = with_steps(arena, kinds, record.document, record.steps_done);
    json_object_set(document, "history", json_parse_own(arena, record.history));
    *ret_document = json_text(arena, document);
    return ret_document->len == 0 ? fail(arena, OVERLOADED) : OK;
}

/* ---- Metrics ---- */

static void
add_jobs(struct buf *out, const struct rows *rows)
{
    int64_t overdue = 0, oldest_s = 0;
    metric_begin(out, METRIC_JOBS);
    for (int row = 0; row < rows->count; row++) {
        str kind = rows_text(rows, row, C_KIND), state = rows_text(rows, row, C_STATE);
        buf_format(out, "reeve_jobs{kind=\"%.*s\",state=\"%.*s\"} %lld\n", STR_ARG(kind), STR_ARG(state),
                   (long long)rows_int(rows, row, C_COUNT));
        overdue += rows_int(rows, row, C_OVERDUE);
        oldest_s = rows_int(rows, row, C_OLDEST_S) > oldest_s ? rows_int(rows, row, C_OLDEST_S) : oldest_s;
    }
    metric_begin(out, METRIC_JOBS_OVERDUE);
    buf_format(out, "reeve_jobs_overdue %lld\n", (long long)overdue);
    metric_begin(out, METRIC_JOBS_OLDEST);
    buf_format(out, "reeve_jobs_oldest_seconds %lld\n", (long long)oldest_s);
}

static void
add_sweeps(struct buf *out, const struct rows *rows)
{
    metric_begin(out, METRIC_SWEEP_AGE);
    for (int row = 0; row < rows->count; row++)
        buf_format(out, "reeve_sweep_age_seconds{sweep=\"%.*s\"} %lld\n", STR_ARG(rows_text(rows, row, C_NAME)),
                   (long long)rows_int(rows, row, C_AGE_S));
}

static void
add_drills(struct buf *out, const struct rows *rows)
{
    int64_t overdue = 0;
    metric_begin(out, METRIC_DRILLS);
    for (int row = 0; row < rows->count; row++) {
        buf_format(out, "reeve_backup_drills{result=\"%.*s\"} %lld\n", STR_ARG(rows_text(rows, row, C_STATE)),
                   (long long)rows_int(rows, row, C_COUNT));
        overdue += rows_int(rows, row, C_OVERDUE);
    }
    metric_begin(out, METRIC_DRILLS_OVERDUE);
    buf_format(out, "reeve_backup_drills_overdue %lld\n", (long long)overdue);
}

static void
add_seats(struct buf *out, const struct rows *rows)
{
    metric_begin(out, METRIC_BACKUP_SEATS);
    for (int row = 0; row < rows->count; row++)
        buf_format(out, "reeve_backup_seats{state=\"%.*s\"} %lld\n", STR_ARG(rows_text(rows, row, C_STATE)),
                   (long long)rows_int(rows, row, C_COUNT));
}

static void
add_own_backup(struct buf *out, const struct rows *rows)
{
    metric_begin(out, METRIC_OWN_BACKUP);
    for (int row = 0; row < rows->count; row++)
        buf_format(out, "reeve_own_backup{state=\"%.*s\"} %lld\n", STR_ARG(rows_text(rows, row, C_STATE)),
                   (long long)rows_int(rows, row, C_COUNT));
    metric_begin(out, METRIC_OWN_BACKUP_BEHIND);
    if (rows->count > 0 && rows_int(rows, 0, C_AGE_S) >= 0)
        buf_format(out, "reeve_own_backup_behind_seconds %lld\n", (long long)rows_int(rows, 0, C_AGE_S));
}

str
job_report_metrics(struct store *store, struct arena *arena)
{
    struct buf out = buf_in(arena, METRICS_MAX_BYTES);
    struct rows jobs, sweeps, seats, own, drills;
    if (store_job_counts(store, arena, &jobs) != OK || store_sweep_list(store, arena, &sweeps) != OK ||
        store_seat_counts(store, arena, &seats) != OK || store_own_backup_counts(store, arena, &own) != OK ||
        store_drill_counts(store, arena, &drills) != OK)
        return STR_EMPTY;
    add_jobs(&out, &jobs);
    add_sweeps(&out, &sweeps);
    add_seats(&out, &seats);
    add_own_backup(&out, &own);
    add_drills(&out, &drills);
    return buf_str(&out);
}
