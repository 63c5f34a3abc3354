/* SPDX-License-Identifier: Apache-2.0 */
#include "store/queue/job.h"

error
store_job_begin(struct store *store, struct arena *arena, id organization, struct tx **ret_tx)
{
    return id_is_there(organization) ? tx_begin(store, arena, organization, ret_tx)
                                     : tx_begin_service(store, arena, ret_tx);
}

/* ---- Adding ---- */

error
store_job_add(struct tx *tx, const struct job_draft *draft, id *ret_job)
{
    struct params lock = { 0 }, params = { 0 };
    id job = id_new(store_cell(tx_store(tx)));
    params_id(&lock, P_SUBJECT, draft->subject);
    TRY(tx_query(tx, SQL_JOB_LOCK_SUBJECT, &lock, NULL, NULL));
    params_id_or_null(&params, P_ORGANIZATION, draft->organization);
    params_id_or_null(&params, P_PROJECT, draft->project);
    params_id(&params, P_JOB, job);
    params_text(&params, P_KIND, draft->kind);
    params_id(&params, P_SUBJECT, draft->subject);
    params_text(&params, P_SUBJECT_NAME, draft->subject_name);
    params_int(&params, P_GENERATION, draft->generation);
    params_text(&params, P_PAYLOAD, draft->payload.len == 0 ? STR("{}") : draft->payload);
    params_text(&params, P_FIRST_STEP, draft->first_step);
    params_int(&params, P_STEP_COUNT, draft->step_count);
    TRY(tx_query(tx, SQL_JOB_ADD, &params, NULL, NULL));
    TRY(tx_notify(tx, JOB_CHANNEL, id_text(tx_arena(tx), draft->subject)));
    *ret_job = job;
    return OK;
}

/* ---- For workers: finding and taking ---- */

static void
read_places(struct arena *arena, const struct rows *rows, size_t most, struct job_place *ret_places, size_t *ret_count)
{
    *ret_count = 0;
    for (int row = 0; row < rows->count && *ret_count < most; row++) {
        ret_places[(*ret_count)++] = (struct job_place){
            .organization = rows_id(rows, row, C_ORGANIZATION),
            .job = rows_id(rows, row, C_JOB),
            .subject = rows_id(rows, row, C_SUBJECT),
            .kind = str_dup(arena, rows_text(rows, row, C_KIND)),
            .step = str_dup(arena, rows_text(rows, row, C_STEP)),
        };
    }
}

error
store_job_due(struct store *store, struct arena *arena, str kinds, bool any_news, struct job_place ret_due[JOB_DUE_MAX],
              size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_KINDS, kinds);
    params_bool(&params, P_ANY_NEWS, any_news);
    TRY(store_read(store, arena, SQL_JOB_DUE, &params, &rows));
    read_places(arena, &rows, JOB_DUE_MAX, ret_due, ret_count);
    return OK;
}

error
store_job_of_subject(struct store *store, struct arena *arena, str kinds, id subject, struct job_place *ret_place,
                     size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_KINDS, kinds);
    params_id(&params, P_SUBJECT, subject);
    TRY(store_read(store, arena, SQL_JOB_OF_SUBJECT, &params, &rows));
    read_places(arena, &rows, 1, ret_place, ret_count);
    return OK;
}

error
store_job_claim(struct store *store, struct arena *arena, const struct job_place *place, bool has_news, str worker,
                const struct job_pace *pace, int64_t deadline_s, bool *ret_claimed, struct job *ret_job)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id_or_null(&params, P_ORGANIZATION, place->organization);
    params_id(&params, P_JOB, place->job);
    params_text(&params, P_STEP, place->step);
    params_bool(&params, P_HAS_NEWS, has_news);
    params_int(&params, P_LEASE_MS, pace->lease_ms);
    params_int(&params, P_DEADLINE_S, deadline_s);
    params_int(&params, P_BACKOFF_FIRST_MS, pace->backoff.first_ms);
    params_int(&params, P_BACKOFF_MOST_MS, pace->backoff.most_ms);
    params_text(&params, P_WORKER, worker);
    TRY(store_job_begin(store, arena, place->organization, &tx));
    TRY(tx_query(tx, SQL_JOB_CLAIM, &params, &rows, NULL));
    TRY(tx_commit(tx));
    *ret_claimed = rows.count > 0;
    if (rows.count == 0)
        return OK;
    *ret_job = (struct job){
        .id = place->job,
        .organization = place->organization,
        .epoch = rows_int(&rows, 0, C_LEASE_EPOCH),
        .project = rows_id(&rows, 0, C_PROJECT),
        .subject = rows_id(&rows, 0, C_SUBJECT),
        .kind = str_dup(arena, rows_text(&rows, 0, C_KIND)),
        .subject_name = str_dup(arena, rows_text(&rows, 0, C_SUBJECT_NAME)),
        .generation = rows_int(&rows, 0, C_GENERATION),
        .payload = str_dup(arena, rows_text(&rows, 0, C_PAYLOAD)),
        .step = str_dup(arena, rows_text(&rows, 0, C_STEP)),
        .step_number = (int)rows_int(&rows, 0, C_STEP_NUMBER),
        .step_count = (int)rows_int(&rows, 0, C_STEP_COUNT),
        .try = (int)rows_int(&rows, 0, C_TRY),
        .failures = (int)rows_int(&rows, 0, C_FAILURES),
    };
    return OK;
}

/* ---- For workers: what became of a step ---- */

static void
bind_lease(struct params *params, const struct job *job)
{
    params_id_or_null(params, P_ORGANIZATION, job->organization);
    params_id(params, P_JOB, job->id);
    params_int(params, P_EPOCH, job->epoch);
}

static error
add_history(struct tx *tx, id organization, id job, str step, int64_t try, const char *outcome, str detail, str worker)
{
    struct params params = { 0 };
    params_id_or_null(&params, P_ORGANIZATION, organization);
    params_id(&params, P_JOB, job);
    params_text(&params, P_STEP, step);
    params_int(&params, P_TRY, try);
    params_text(&params, P_OUTCOME, str_from(outcome));
    params_text_or_null(&params, P_DETAIL, detail);
    params_text(&params, P_WORKER, worker);
    return tx_query(tx, SQL_JOB_HISTORY_ADD, &params, NULL, NULL);
}

error
store_job_hold(struct tx *tx, const struct job *job, bool *ret_kept)
{
    struct params params = { 0 };
    struct rows rows;
    bind_lease(&params, job);
    TRY(tx_query(tx, SQL_JOB_HOLD, &params, &rows, NULL));
    *ret_kept = rows.count > 0;
    return OK;
}

error
store_job_next_step(struct tx *tx, struct job *job, str worker, const struct job_next *next,
                    const struct job_pace *pace, bool *ret_kept)
{
    struct params params = { 0 };
    struct rows rows;
    bind_lease(&params, job);
    params_text(&params, P_STEP, next->step);
    params_int(&params, P_NUMBER, next->number);
    params_int(&params, P_COUNT, next->count);
    params_bool(&params, P_GOES_ON, next->goes_on);
    params_int(&params, P_DEADLINE_S, next->deadline_s);
    params_int(&params, P_LEASE_MS, pace->lease_ms);
    params_int(&params, P_BACKOFF_FIRST_MS, pace->backoff.first_ms);
    TRY(tx_query(tx, SQL_JOB_NEXT_STEP, &params, &rows, NULL));
    *ret_kept = rows.count > 0;
    if (!*ret_kept)
        return OK;
    TRY(add_history(tx, job->organization, job->id, job->step, job->try, "DONE", STR_EMPTY, worker));
    job->step = next->step;
    job->step_number = next->number;
    job->step_count = next->count;
    job->try = job->failures = next->goes_on ? 1 : 0;
    return OK;
}

/* Whoever waits for this job to end (the next one of its subject, in the first place) is told. */
static error
end_job(struct tx *tx, const struct job *job, str worker, const char *state, str why, bool *ret_kept)
{
    struct params params = { 0 };
    struct rows rows;
    bind_lease(&params, job);
    params_text(&params, P_STATE, str_from(state));
    params_text_or_null(&params, P_WHY, why);
    TRY(tx_query(tx, SQL_JOB_END, &params, &rows, NULL));
    *ret_kept = rows.count > 0;
    if (!*ret_kept)
        return OK;
    TRY(add_history(tx, job->organization, job->id, job->step, job->try, state, why, worker));
    return tx_notify(tx, JOB_CHANNEL, id_text(tx_arena(tx), job->subject));
}

error
store_job_done(struct tx *tx, const struct job *job, str worker, bool *ret_kept)
{
    return end_job(tx, job, worker, "DONE", STR_EMPTY, ret_kept);
}

error
store_job_failed(struct tx *tx, const struct job *job, str worker, str why, bool *ret_kept)
{
    return end_job(tx, job, worker, "FAILED", why, ret_kept);
}

error
store_job_waits(struct tx *tx, const struct job *job, str worker, str why, int64_t wait_ms, bool *ret_kept)
{
    struct params params = { 0 };
    struct rows rows;
    bind_lease(&params, job);
    params_text(&params, P_WHY, why);
    params_int(&params, P_WAIT_MS, wait_ms);
    TRY(tx_query(tx, SQL_JOB_WAIT, &params, &rows, NULL));
    *ret_kept = rows.count > 0;
    if (!*ret_kept || !rows_bool(&rows, 0, C_IS_NEWS))
        return OK;
    return add_history(tx, job->organization, job->id, job->step, job->try, "WAITS", why, worker);
}

error
store_job_error(struct store *store, struct arena *arena, const struct job *job, str worker, str why)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bind_lease(&params, job);
    params_text(&params, P_WHY, why);
    TRY(store_job_begin(store, arena, job->organization, &tx));
    TRY(tx_query(tx, SQL_JOB_ERROR, &params, &rows, NULL));
    if (rows.count > 0 && rows_bool(&rows, 0, C_IS_NEWS))
        TRY(add_history(tx, job->organization, job->id, job->step, job->try, "ERROR", why, worker));
    return tx_commit(tx);
}

/* ---- For workers: what takes too long ---- */

static error
mark_late(struct store *store, struct arena *arena, id organization, id job, str worker, struct job_late *ret_late,
          bool *ret_marked)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id_or_null(&params, P_ORGANIZATION, organization);
    params_id(&params, P_JOB, job);
    TRY(store_job_begin(store, arena, organization, &tx));
    TRY(tx_query(tx, SQL_JOB_MARK_LATE, &params, &rows, NULL));
    *ret_marked = rows.count > 0;
    if (rows.count == 0)
        return OK;
    *ret_late = (struct job_late){
        .job = job,
        .kind = rows_text(&rows, 0, C_KIND),
        .step = rows_text(&rows, 0, C_STEP),
        .waits_for = rows_text(&rows, 0, C_WAITS_FOR),
        .subject = rows_id(&rows, 0, C_SUBJECT),
        .subject_name = rows_text(&rows, 0, C_SUBJECT_NAME),
        .late_s = rows_int(&rows, 0, C_LATE_S),
    };
    TRY(add_history(tx, organization, job, ret_late->step, rows_int(&rows, 0, C_TRY), "OVERDUE", ret_late->waits_for,
                    worker));
    return tx_commit(tx);
}

error
store_job_mark_late(struct store *store, struct arena *arena, str worker,
                    void (*tell)(void *context, const struct job_late *late), void *context)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_JOB_LATE, &params, &rows));
    for (int row = 0; row < rows.count; row++) {
        struct job_late late;
        bool marked = false;
        TRY(mark_late(store, arena, rows_id(&rows, row, C_ORGANIZATION), rows_id(&rows, row, C_JOB), worker, &late,
                      &marked));
        if (marked)
            tell(context, &late);
    }
    return OK;
}

/* ---- For operators ---- */

error
store_job_list(struct store *store, struct arena *arena, const struct job_filter *filter, struct rows *ret_rows)
{
    struct params params = { 0 };
    params_id_or_null(&params, P_PROJECT, filter->project);
    params_text_or_null(&params, P_STATE, filter->state);
    params_int(&params, P_LIMIT, filter->limit);
    return store_read(store, arena, SQL_JOB_LIST, &params, ret_rows);
}

error
store_job_get(struct store *store, struct arena *arena, id job, struct job_record *ret_record)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_JOB, job);
    TRY(store_read(store, arena, SQL_JOB_GET, &params, &rows));
    *ret_record = (struct job_record){ .found = rows.count > 0 };
    if (rows.count > 0)
        *ret_record = (struct job_record){
            .found = true,
            .document = rows_text(&rows, 0, C_DOCUMENT),
            .steps_done = rows_text(&rows, 0, C_STEPS_DONE),
            .history = rows_text(&rows, 0, C_HISTORY),
            .organization = rows_id(&rows, 0, C_ORGANIZATION),
            .project = rows_id(&rows, 0, C_PROJECT),
            .subject_name = rows_text(&rows, 0, C_SUBJECT_NAME),
        };
    return OK;
}

error
store_job_counts(struct store *store, struct arena *arena, struct rows *ret_rows)
{
    struct params params = { 0 };
    return store_read(store, arena, SQL_JOB_COUNTS, &params, ret_rows);
}

/* Both statements return the step and the subject of the job that they changed. */
static error
decide(struct tx *tx, enum sql statement, id organization, id job, const char *outcome, str who, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id_or_null(&params, P_ORGANIZATION, organization);
    params_id(&params, P_JOB, job);
    TRY(tx_query(tx, statement, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    if (rows.count == 0)
        return OK;
    TRY(add_history(tx, organization, job, rows_text(&rows, 0, C_STEP), 0, outcome, STR_EMPTY, who));
    return tx_notify(tx, JOB_CHANNEL, rows_text(&rows, 0, C_SUBJECT));
}

error
store_job_retry(struct tx *tx, id organization, id job, str who, bool *ret_changed)
{
    return decide(tx, SQL_JOB_RETRY, organization, job, "RETRIED", who, ret_changed);
}

error
store_job_cancel(struct tx *tx, id organization, id job, str who, bool *ret_changed)
{
    return decide(tx, SQL_JOB_CANCEL, organization, job, "CANCELLED", who, ret_changed);
}

error
store_job_prune(struct store *store, struct arena *arena, int64_t limit, int64_t days, int *ret_deleted)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, limit);
    params_int(&params, P_DAYS, days);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_JOB_PRUNE, &params, &rows, NULL));
    *ret_deleted = rows.count;
    return tx_commit(tx);
}

/* ---- Sweeps ---- */

error
store_sweep_claim(struct store *store, struct arena *arena, str name, int64_t every_ms, int64_t lease_ms, str worker,
                  bool *ret_claimed, int64_t *ret_epoch)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_NAME, name);
    params_int(&params, P_EVERY_MS, every_ms);
    params_int(&params, P_LEASE_MS, lease_ms);
    params_text(&params, P_WORKER, worker);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_SWEEP_CLAIM, &params, &rows, NULL));
    TRY(tx_commit(tx));
    *ret_claimed = rows.count > 0;
    if (rows.count > 0)
        *ret_epoch = rows_int(&rows, 0, C_LEASE_EPOCH);
    return OK;
}

error
store_sweep_end(struct store *store, struct arena *arena, str name, int64_t epoch, str problem)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    params_text(&params, P_NAME, name);
    params_int(&params, P_EPOCH, epoch);
    params_text_or_null(&params, P_PROBLEM, problem);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_SWEEP_END, &params, NULL, NULL));
    return tx_commit(tx);
}

error
store_sweep_list(struct store *store, struct arena *arena, struct rows *ret_rows)
{
    struct params params = { 0 };
    return store_read(store, arena, SQL_SWEEP_LIST, &params, ret_rows);
}
