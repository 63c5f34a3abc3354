/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: what they wait for, and how an operator retries or cancels one. */
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "job/kinds.h"
#include "job/operation.h"
#include "operator/parts.h"
#include "store/queue/job.h"

/* ---- Tables ---- */
static const char *const wanted_states[] = { JOB_STATE_OPEN, "ALL", JOB_STATE_WORDS, NULL };

static const struct field step_fields[] = { OPERATION_STEP_FIELDS, END_OF_FIELDS };
static const struct schema step_schema = { "JobStep", "A step of a job.", step_fields };
static const struct field history_fields[] = {
    INTEGER("number", "Number of the entry.", READ_ONLY | ALWAYS),
    DATE("at", "When it happened.", READ_ONLY | ALWAYS),
    TEXT("step", "The step.", READ_ONLY | ALWAYS),
    INTEGER("try", "Number of the try.", READ_ONLY | ALWAYS),
    TEXT("outcome", "Result of the try.", READ_ONLY | ALWAYS),
    TEXT("detail", "Why.", READ_ONLY),
    TEXT("worker", "Worker that ran it.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema history_schema = { "JobHistory", "Something that happened to a job.", history_fields };

#define JOB_FIELDS                                                                                                   \
    TEXT("kind", "What it does.", READ_ONLY | ALWAYS, .example = "\"host.drain\""),                                  \
        TEXT("subjectName", "Name of the cluster or host that it is about.", READ_ONLY | ALWAYS),                    \
        TEXT("state", "Current state.", READ_ONLY | ALWAYS, .one_of = job_states),                                   \
        INTEGER("stepNumber", "Number of steps that are done.", READ_ONLY | ALWAYS),                                 \
        INTEGER("stepCount", "Number of all steps.", READ_ONLY | ALWAYS),                                            \
        TEXT("currentStep", "The current step.", READ_ONLY), ID("id", "Identifier of the job.", READ_ONLY | ALWAYS), \
        TEXT("waitsFor", "What it waits for.", READ_ONLY), TEXT("failure", "Why it failed.", READ_ONLY),             \
        INTEGER("failures", "Failed tries in a row.", READ_ONLY),                                                    \
        DATE("createdAt", "When it was asked for.", READ_ONLY | ALWAYS),                                             \
        DATE("startedAt", "When a worker began.", READ_ONLY), DATE("finishedAt", "When it ended.", READ_ONLY),       \
        DATE("nextRunAt", "When it is tried next.", READ_ONLY),                                                      \
        DATE("stepStartedAt", "When its step began.", READ_ONLY),                                                    \
        DATE("stepDeadlineAt", "Deadline of its step.", READ_ONLY),                                                  \
        DATE("overdueAt", "Since when its step is past its deadline.", READ_ONLY),                                   \
        INTEGER("try", "Tries of its step.", READ_ONLY),                                                             \
        INTEGER("generation", "Generation of its subject that it brings into effect.", READ_ONLY),                   \
        DATE("leaseUntil", "Until when its worker holds it.", READ_ONLY),                                            \
        TEXT("worker", "Worker that runs it.", READ_ONLY), ID("subject", "What it is about.", READ_ONLY),            \
        ID("groupId", "Project of the subject.", READ_ONLY), ID("orgId", "Organization of the subject.", READ_ONLY)

static const struct field job_fields[] = { JOB_FIELDS, END_OF_FIELDS };
static const struct schema job_schema = { "Job", "Work that goes on after an answer.", job_fields };
static const struct field one_job_fields[] = {
    JOB_FIELDS,
    LIST("steps", "Its steps, in order.", READ_ONLY | ALWAYS, .of = &step_schema),
    LIST("history", "Everything that happened to it, oldest first.", READ_ONLY | ALWAYS, .of = &history_schema),
    END_OF_FIELDS,
};
static const struct schema one_job_schema = { "JobWithHistory", "A job with its steps and its history.",
                                              one_job_fields };
static const struct field decided_fields[] = {
    ID("id", "Identifier of the job.", READ_ONLY | ALWAYS),
    TEXT("state", "Its state from now on.", READ_ONLY | ALWAYS, .one_of = job_states),
    END_OF_FIELDS,
};
static const struct schema decided_schema = { "JobDecision", "What was decided about a job.", decided_fields };
static const struct field list_query[] = {
    TEXT("state", "Only jobs in this state. OPEN: not finished, or failed.", 0, .one_of = wanted_states,
         .fallback = "\"" JOB_STATE_OPEN "\""),
    ID("groupId", "Only jobs of this project.", 0),
    END_OF_FIELDS,
};

/* ---- Looking ---- */
static error
bind_jobs(struct request *req, struct params *params)
{
    str state = request_query(req, "state");
    list_bind(req, params);
    params_id_or_null(params, P_PROJECT, request_query_id(req, "groupId"));
    params_text(params, P_STATE, state.len == 0 ? STR(JOB_STATE_OPEN) : str_is(state, "ALL") ? STR_EMPTY : state);
    return OK;
}
static const struct read jobs = { SQL_JOB_PAGE, bind_jobs, list_answer };

static error
show_job(struct request *req)
{
    id job;
    str document;
    TRY(request_path_id(req, "jobId", &job));
    TRY(job_report_one(req->api->store, req->arena, all_job_kinds, job, &document));
    if (document.len == 0)
        return request_not_found(req);
    answer_entity(req, document, 0);
    return OK;
}

/* ---- Deciding ---- */
static const struct decision {
    enum job_state state;
    const char *refused;
    error (*decide)(struct tx *tx, id organization, id job, str who, bool *ret_changed);
    enum event_type event;
} retry = { JOB_QUEUED, "a worker is running it, it is done or cancelled, or a newer job of the same subject exists",
            store_job_retry, EVENT_OPERATION_RETRIED },
  cancel = { JOB_CANCELLED, "only a job that has not started or has failed can be cancelled", store_job_cancel,
             EVENT_OPERATION_CANCELLED };

/* Jobs about hosts belong to no organization, and have no events. */
static error
add_event(struct request *req, enum event_type type, const struct job_record *record, id job)
{
    if (!id_is_there(record->organization))
        return OK;
    json_t *after = json_in(req->arena, json_pack("{s:s}", "operationId", id_text(req->arena, job).data));
    req->organization = record->organization;
    req->project = record->project;
    return request_event_of_cluster(req, type, record->subject_name, NULL, after);
}

static error
decide(struct request *req, const struct decision *decision)
{
    id job;
    bool changed;
    struct job_record record;
    TRY(request_path_id(req, "jobId", &job));
    TRY(store_job_get(req->api->store, req->arena, job, &record));
    if (!record.found)
        return request_not_found(req);
    if (id_is_there(record.organization))
        TRY(tx_set_organization(req->tx, record.organization));
    TRY(decision->decide(req->tx, record.organization, job, req->caller->name, &changed));
    if (!changed)
        return fail(req->arena, JOB_NOT_CHANGEABLE, V(id_text(req->arena, job)), V(decision->refused));
    TRY(add_event(req, decision->event, &record, job));
    answer_object(req,
                  json_pack("{s:s, s:s}", "id", id_text(req->arena, job).data, "state", job_states[decision->state]));
    if (decision == &retry)
        answer_operation(req, job);
    return OK;
}

static error
retry_job(struct request *req)
{
    return decide(req, &retry);
}

static error
cancel_job(struct request *req)
{
    return decide(req, &cancel);
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/jobs", 0, FOR_OPERATORS, "listJobs", "Return all jobs",
      "Lists jobs, newest first. By default those that are not finished or have failed. Finished jobs are kept for 30 days.",
      SHAPE_LIST, .read = &jobs, .response = &job_schema, .query = list_query, .item = "/jobs/{jobId}" },
    { GET, "/jobs/{jobId}", 0, FOR_OPERATORS, "showJob", "Return one job with its steps and its history",
      "Shows what the job waits for, when each step began and ended, and every try.",
      SHAPE_ENTITY, .run = show_job, .response = &one_job_schema },
    { POST, "/jobs/{jobId}:retry", 0, FOR_OPERATORS, "retryJob", "Retry one job at once",
      "Works for a failed job too, unless a newer job of the same cluster or host exists.",
      SHAPE_ENTITY, 200, .run = retry_job, .response = &decided_schema },
    { POST, "/jobs/{jobId}:cancel", 0, FOR_OPERATORS, "cancelJob", "Cancel one job",
      "Only a job that has not started or has failed can be cancelled: a running one must finish.",
      SHAPE_ENTITY, 200, .run = cancel_job, .response = &decided_schema },
};
// clang-format on
FAMILY(operator_job_family, "jobs", "Jobs", "Work that goes on after its request was answered.", endpoints);
