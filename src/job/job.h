/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: work that goes on after a request was answered. A kind of job is a table of steps. A step is small and can run
 * any number of times. Its changes in the database are committed together with the job's transition, its line of
 * history and its changes to the subject. Work outside of the database is done by agents, not by jobs: a step changes
 * the goal (docs/internals/fleet.md) and waits until it is true.
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include <stdio.h>

#include "base/crypto/crypto.h"
#include "job/access/ldap_verify.h"
#include "job/etcd/etcd.h"
#include "job/federation/provider_keys.h"
#include "store/queue/job.h"

struct monitor_stores;

struct job_context {
    struct store *store;
    struct tx *tx; /* of the job's organization; the engine commits it, whatever the outcome */
    struct arena *arena;
    const struct job *job;
    const struct job_environment *environment;
};

/* What the steps of every job may need of the configuration. */
struct job_environment {
    const char *domain;               /* of host names */
    struct key key;                   /* the node's own, for what is sealed */
    struct egress_allowed egress;     /* where workers may connect to when a tenant says so */
    const char *egress_ca;            /* authorities of what is connected to there; NULL: the system's */
    directory_asker *ask_directory;   /* of workers only */
    document_fetcher *fetch_document; /* likewise */
    etcd_caller *call_etcd;           /* likewise */
    const char *etcd;                 /* endpoints of the configuration, a JSON list; NULL: none */
    struct monitor_stores *monitor;   /* of measurements; NULL: none */
    const char *price_file;           /* NULL or empty: none */
    int64_t retention_days;           /* how long what is over is kept */
    int64_t payment_due_days;         /* 0: nobody is locked for what they owe */
    int64_t (*now_ms)(void);          /* NULL: clock_now_ms(); a test has a clock of its own */
};

enum job_outcome {
    STEP_DONE,   /* on to the next step, at once */
    STEP_WAITS,  /* not true yet: runs again after news about the subject, or after a while; `why` is a sentence */
    STEP_FAILED, /* never: the job ends as FAILED; `why` is a sentence for the tenant */
};
struct job_result {
    enum job_outcome outcome;
    str why;
    int64_t wait_ms; /* of STEP_WAITS: how long nothing will change by itself; 0: the next look is soon */
};

/* After an error the try is rolled back and repeated after a growing delay. */
typedef error job_step(struct job_context *context, struct job_result *ret_result);

struct job_step_row {
    const char *name; /* "wait-primary" */
    const char *doc;  /* what a tenant sees while it runs: "Waits until the primary accepts writes." */
    job_step *run;
    int deadline_s; /* after it an operator is told; the job goes on trying */
};
struct job_kind {
    const char *name; /* "cluster.create" */
    const char *doc;
    const struct job_step_row *steps;
    size_t count;
};

/*
 * Work that is repeated by the clock, by one worker at a time. It opens its own transactions, and may be killed
 * anywhere.
 */
struct sweep_context {
    struct store *store;
    struct arena *arena;
    const struct job_environment *environment;
};
struct sweep {
    const char *name; /* "finished-jobs" */
    const char *doc;
    int every_s;
    int lease_s; /* for how long a worker that dies in it keeps it from the others; 0: five minutes */
    error (*run)(struct sweep_context *context);
};

/* ---- Adding ---- */
/* store_job_add() with the kind's name, first step and number of steps filled in. */
MUST_USE error job_add(struct tx *tx, const struct job_kind *kind, struct job_draft draft, id *ret_job);

/* ---- Looking things up. Lists of kinds and sweeps end with NULL. ---- */
const struct job_kind *job_kind_find(const struct job_kind *const *kinds, str name);
/* The index of a step; kind->count when there is none of that name. */
size_t job_step_find(const struct job_kind *kind, str name);
/* Whether the tables make sense; else every mistake is a line in `problems`. */
MUST_USE bool job_tables_check(const struct job_kind *const *kinds, const struct sweep *const *sweeps, FILE *problems);

/* ---- Fail points (base/failpoint.h): each step of each kind and each sweep has three ---- */
enum job_moment { BEFORE_EFFECT, AFTER_EFFECT, AFTER_COMMIT, JOB_MOMENTS };
extern const char *const job_moment_names[JOB_MOMENTS]; /* "before-effect", … */
void job_failpoints_print(const struct job_kind *const *kinds, const struct sweep *const *sweeps, FILE *out);

#endif
