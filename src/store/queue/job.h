/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: work that goes on after its request was answered. The row has the whole state of a job; job/job.h has its
 * steps. A worker has a lease on its job. Each claim increases the lease's epoch, and each change names the epoch, so
 * that a worker that lost its lease cannot write any more.
 */
#ifndef STORE_QUEUE_JOB_H
#define STORE_QUEUE_JOB_H

#include "base/backoff.h"
#include "store/store.h"

/* Told to listeners on this channel when there may be something to do; the payload is a subject's id, or empty: any. */
#define JOB_CHANNEL "reeve_job"

/* ---- Adding ---- */
struct job_draft {
    str kind;
    id organization, project; /* none for jobs about hosts, which belong to nobody */
    id subject;               /* jobs with one subject run one after another, in the order in which they were added */
    str subject_name;         /* the tenant's name of it: of the cluster */
    int64_t generation;
    str payload; /* one JSON object; empty: {}. Never a secret */
    str first_step;
    int step_count;
};
/* In the transaction of the change that asks for it; a worker is told when it commits. job_add() of job/job.h fills in what
 * belongs to the kind. */
MUST_USE error store_job_add(struct tx *tx, const struct job_draft *draft, id *ret_job);

/* A transaction of the job's organization, or of the service for a job that has none. */
MUST_USE error store_job_begin(struct store *store, struct arena *arena, id organization, struct tx **ret_tx);

/* ---- For workers ---- */
struct job_place {
    id organization, job, subject;
    str kind, step;
};
enum { JOB_DUE_MAX = 32 };
/* `kinds` are those that the worker knows, as PostgreSQL writes a text[]. With `any_news` also what only waits. */
MUST_USE error store_job_due(struct store *store, struct arena *arena, str kinds, bool any_news,
                             struct job_place ret_due[JOB_DUE_MAX], size_t *ret_count);
/* The next job of a subject, also when it only waits; *ret_count is 0 or 1. */
MUST_USE error store_job_of_subject(struct store *store, struct arena *arena, str kinds, id subject,
                                    struct job_place *ret_place, size_t *ret_count);

/* How long a worker may be silent, and the delay after a failed try. */
struct job_pace {
    int64_t lease_ms;
    struct backoff backoff;
};
struct job {
    id id, organization, project, subject;
    int64_t epoch; /* of the lease */
    str kind, subject_name, payload, step;
    int64_t generation;
    int step_number, step_count;
    int try, failures; /* this one included */
};
/* A transaction of its own. False when somebody else has it, it is not its turn, or its step is no longer place->step. */
MUST_USE error store_job_claim(struct store *store, struct arena *arena, const struct job_place *place, bool has_news,
                               str worker, const struct job_pace *pace, int64_t deadline_s, bool *ret_claimed,
                               struct job *ret_job);

/*
 * The rest runs in the transaction of the step, which begins with store_job_hold(). Each says in *ret_kept whether the lease
 * was still there; when it was not, the transaction must be rolled back.
 */
MUST_USE error store_job_hold(struct tx *tx, const struct job *job, bool *ret_kept);
struct job_next {
    str step;
    int number, count;
    int64_t deadline_s;
    bool goes_on; /* the same worker runs it now: it keeps the lease, and the cost of a failure is written already */
};
/* Also changes `job`, which then is at its next step. */
MUST_USE error store_job_next_step(struct tx *tx, struct job *job, str worker, const struct job_next *next,
                                   const struct job_pace *pace, bool *ret_kept);
MUST_USE error store_job_done(struct tx *tx, const struct job *job, str worker, bool *ret_kept);
MUST_USE error store_job_failed(struct tx *tx, const struct job *job, str worker, str why, bool *ret_kept);
MUST_USE error store_job_waits(struct tx *tx, const struct job *job, str worker, str why, int64_t wait_ms,
                               bool *ret_kept);
/* The try failed: a separate transaction, after that of the step was rolled back. */
MUST_USE error store_job_error(struct store *store, struct arena *arena, const struct job *job, str worker, str why);

/* Marks jobs that are past the deadline of their step, each step once, and reports each. */
struct job_late {
    id job, subject;
    str kind, step, subject_name, waits_for;
    int64_t late_s; /* since the step began */
};
MUST_USE error store_job_mark_late(struct store *store, struct arena *arena, str worker,
                                   void (*tell)(void *context, const struct job_late *late), void *context);

/* ---- For operators ---- */
struct job_filter {
    id project; /* zero: of all */
    str state;  /* empty: any; OPEN: not finished, or failed */
    int64_t limit;
};
/* Documents, newest first. */
MUST_USE error store_job_list(struct store *store, struct arena *arena, const struct job_filter *filter,
                              struct rows *ret_rows);
struct job_record {
    bool found;
    str document, steps_done, history; /* JSON */
    id organization, project;
    str subject_name;
};
MUST_USE error store_job_get(struct store *store, struct arena *arena, id job, struct job_record *ret_record);
/* (kind, state, number of jobs, of these overdue, age of the oldest that is not finished in seconds) */
MUST_USE error store_job_counts(struct store *store, struct arena *arena, struct rows *ret_rows);
/* In a transaction of the job's organization. *ret_changed is false when the job is not in a state for it. */
MUST_USE error store_job_retry(struct tx *tx, id organization, id job, str who, bool *ret_changed);
MUST_USE error store_job_cancel(struct tx *tx, id organization, id job, str who, bool *ret_changed);
/* Deletes at most `limit` of those that were finished 30 days ago. */
MUST_USE error store_job_prune(struct store *store, struct arena *arena, int64_t limit, int64_t days, int *ret_deleted);

/* ---- Sweeps: work that is repeated by the clock, by one worker at a time ---- */
/* A transaction of its own, as store_sweep_end(). False when it is not due, or another worker runs it. */
MUST_USE error store_sweep_claim(struct store *store, struct arena *arena, str name, int64_t every_ms, int64_t lease_ms,
                                 str worker, bool *ret_claimed, int64_t *ret_epoch);
/* `problem` is empty when there was none. */
MUST_USE error store_sweep_end(struct store *store, struct arena *arena, str name, int64_t epoch, str problem);
/* (name, seconds since it last succeeded or -1, last problem or NULL) */
MUST_USE error store_sweep_list(struct store *store, struct arena *arena, struct rows *ret_rows);

#endif
