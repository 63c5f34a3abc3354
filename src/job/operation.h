/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs as documents: what the store knows of one, with the steps that its kind has. */
#ifndef JOB_OPERATION_H
#define JOB_OPERATION_H

#include "job/job.h"

/* The states of jobs and of their steps, and their words, by the enums and with NULL at the end. */
enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED };
enum operation_step_state {
    STEP_IS_PENDING,
    STEP_IS_RUNNING,
    STEP_IS_WAITING,
    STEP_IS_DONE,
    STEP_IS_FAILED,
    STEP_IS_CANCELLED,
};
#define JOB_STATE_WORDS "QUEUED", "RUNNING", "DONE", "FAILED", "CANCELLED"
extern const char *const job_states[], *const operation_step_states[];
/* Of jobs that somebody looks for: not finished, or failed. */
#define JOB_STATE_OPEN "OPEN"

// clang-format off
/*
 * A step as it stands in the documents that are made here. Tenants and operators each have an API of their own that shows it; their tables
 * take these rows, which are written in the words of api/contract.h.
 */
#define OPERATION_STEP_FIELDS \
    TEXT("name",        "Name of the step.", READ_ONLY | ALWAYS), \
    TEXT("description", "What it does.",     READ_ONLY | ALWAYS), \
    TEXT("state",       "Current state.",    READ_ONLY | ALWAYS, .one_of = operation_step_states), \
    DATE("startedAt",   "When it began.",    READ_ONLY), \
    DATE("finishedAt",  "When it was done.", READ_ONLY)
// clang-format on

/* What the tenant sees: `document` of operation_json() with its steps; `done` says when each was done. Empty without memory. */
str operation_document(struct arena *arena, const struct job_kind *const *kinds, str document, str done);

/* ---- For operators: `reeved jobs --json`, and /jobs on their address ---- */
/* {"results":[…]}, newest first. */
MUST_USE error job_report_list(struct store *store, struct arena *arena, const struct job_filter *filter,
                               str *ret_document);
/* One job with its steps and its history; empty when there is none. */
MUST_USE error job_report_one(struct store *store, struct arena *arena, const struct job_kind *const *kinds, id job,
                              str *ret_document);
/* In the format of Prometheus; empty when the database cannot be asked. */
str job_report_metrics(struct store *store, struct arena *arena);

#endif
