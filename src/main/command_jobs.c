/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved jobs`: lists jobs and what they wait for; an operator can retry or cancel one. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "job/kinds.h"
#include "job/operation.h"
#include "main/commands.h"
#include "main/operator_place.h"

#define USAGE                                                                              \
    "jobs [--all] [--project ID] [--state STATE] [--json] [JOB_ID]\n"                      \
    "       reeved jobs retry JOB_ID    retries it at once, also after it failed\n"        \
    "       reeved jobs cancel JOB_ID   cancels it, if it has not started or has failed\n" \
    "       reeved jobs --failpoints    lists the places at which a test can end a worker"

enum { JOBS_SHOWN = 1000 };

/* ---- For people ---- */

static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text == NULL ? "" : text;
}

/* "3 s", "5 min", "2 h", "9 d": how long ago it was. */
static const char *
age_of(struct arena *arena, const json_t *object, const char *name)
{
    int64_t ms;
    if (!date_parse(json_str(json_object_get(object, name)), &ms))
        return "";
    int64_t s = (clock_now_ms() - ms) / 1000;
    static const struct {
        int64_t below, unit;
        const char *name;
    } units[] = { { 120, 1, "s" }, { 7200, 60, "min" }, { 172800, 3600, "h" }, { INT64_MAX, 86400, "d" } };
    size_t i = 0;
    while (s >= units[i].below)
        i++;
    return str_format(arena, "%lld %s", (long long)((s < 0 ? 0 : s) / units[i].unit), units[i].name).data;
}

/* Why it is where it is, in a few words. */
static const char *
reason_of(struct arena *arena, const json_t *job)
{
    const char *why = json_object_get(job, "failure") != NULL ? text_of(job, "failure") : text_of(job, "waitsFor");
    return json_object_get(job, "overdueAt") != NULL ? str_format(arena, "OVERDUE %s", why).data : why;
}

static void
print_list(struct arena *arena, const json_t *list)
{
    size_t i;
    json_t *job;
    if (json_array_size(list) == 0) {
        puts("no jobs");
        return;
    }
    printf("%-24s %-9s %-18s %-20s %-24s %-7s %s\n", "JOB", "STATE", "KIND", "ABOUT", "STEP", "AGE", "WHY");
    json_array_foreach(list, i, job)
    {
        str step = str_format(arena, "%lld/%lld %s",
                              json_integer_value(json_object_get(job, "stepNumber")) +
                                  (strcmp(text_of(job, "state"), "DONE") != 0),
                              json_integer_value(json_object_get(job, "stepCount")), text_of(job, "currentStep"));
        printf("%-24s %-9s %-18s %-20s %-24s %-7s %s\n", text_of(job, "id"), text_of(job, "state"),
               text_of(job, "kind"), text_of(job, "subjectName"), step.data, age_of(arena, job, "createdAt"),
               reason_of(arena, job));
    }
}

static void
print_job(const json_t *job)
{
    // clang-format off
    static const struct { const char *label, *field; } lines[] = {
        { "job", "id" }, { "kind", "kind" }, { "about", "subjectName" }, { "subject", "subject" }, { "project", "groupId" },
        { "organization", "orgId" }, { "state", "state" }, { "waits for", "waitsFor" }, { "failure", "failure" },
        { "created", "createdAt" }, { "started", "startedAt" }, { "finished", "finishedAt" }, { "next try", "nextRunAt" },
        { "deadline", "stepDeadlineAt" }, { "overdue since", "overdueAt" }, { "worker", "worker" }, { "lease until", "leaseUntil" },
    };
    // clang-format on
    size_t i;
    json_t *one;
    for (i = 0; i < LENGTH(lines); i++) {
        if (json_object_get(job, lines[i].field) != NULL)
            printf("%-14s %s\n", lines[i].label, text_of(job, lines[i].field));
    }
    printf("%-14s %lld of this step, %lld in a row failed\n", "tries", json_integer_value(json_object_get(job, "try")),
           json_integer_value(json_object_get(job, "failures")));
    puts("\nsteps");
    json_array_foreach(json_object_get(job, "steps"), i, one)
        printf("  %-10s %-24s %-24s %-24s %s\n", text_of(one, "state"), text_of(one, "name"), text_of(one, "startedAt"),
               text_of(one, "finishedAt"), text_of(one, "description"));
    puts("\nhistory");
    json_array_foreach(json_object_get(job, "history"), i, one) printf(
        "  %-24s %-9s %-24s try %-3lld %s  %s\n", text_of(one, "at"), text_of(one, "outcome"), text_of(one, "step"),
        json_integer_value(json_object_get(one, "try")), text_of(one, "worker"), text_of(one, "detail"));
}

/* ---- Showing ---- */

static int
show_list(struct operator_place *place, const struct job_filter *filter, bool as_json)
{
    str document;
    error problem = job_report_list(place->store, place->arena, filter, &document);
    if (problem != OK)
        return report_failure("jobs", problem);
    if (as_json)
        printf("%s\n", document.data);
    else
        print_list(place->arena, json_object_get(json_parse_own(place->arena, document), "results"));
    return 0;
}

static int
show_job(struct operator_place *place, id job, bool as_json)
{
    str document;
    error problem = job_report_one(place->store, place->arena, all_job_kinds, job, &document);
    if (problem != OK)
        return report_failure("jobs", problem);
    if (document.len == 0) {
        fprintf(stderr, "reeved jobs: there is no such job; finished jobs are removed after 30 days\n");
        return 1;
    }
    if (as_json)
        printf("%s\n", document.data);
    else
        print_job(json_parse_own(place->arena, document));
    return 0;
}

/* ---- Deciding ---- */

static const struct decision {
    const char *word, *done;
} decisions[] = {
    { "retry", "it is tried again" },
    { "cancel", "it is cancelled" },
};

static int
decide(struct operator_place *place, const struct decision *decision, id job)
{
    json_t *answer;
    str path = str_format(place->arena, "/jobs/%s:%s", id_text(place->arena, job).data, decision->word);
    error problem = operator_api_call_json(place->operators, place->arena, "POST", path, NULL, &answer);
    if (problem != OK)
        return report_failure("jobs", problem);
    printf("%s\n", decision->done);
    return 0;
}

/* ---- The command ---- */

static const struct decision *
find_decision(const char *word)
{
    for (size_t i = 0; word != NULL && i < LENGTH(decisions); i++) {
        if (strcmp(word, decisions[i].word) == 0)
            return &decisions[i];
    }
    return NULL;
}

static bool
is_state(str text)
{
    return str_word(text, job_states) >= 0 || str_is(text, JOB_STATE_OPEN);
}

int
command_jobs(int argc, char **argv)
{
    enum { CONFIG, ALL, PROJECT, STATE, JSON, FAILPOINTS };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [ALL] = { "--all", "Also jobs that are done or cancelled.", .is_flag = true },
        [PROJECT] = { "--project", "Only jobs of this project." },
        [STATE] = { "--state", "Only jobs in this state: QUEUED, RUNNING, DONE, FAILED or CANCELLED." },
        [JSON] = { "--json", "For programs: the documents of /jobs on the operator's address.", .is_flag = true },
        [FAILPOINTS] = { "--failpoints", "List the names for " FAILPOINT_VARIABLE ".", .is_flag = true },
    };
    /* The word that decides something stands before the job. */
    const struct decision *decision = argc > 1 ? find_decision(argv[1]) : NULL;
    const char *word = NULL;
    int status, skipped = decision == NULL ? 0 : 1;
    id job;
    if (!read_options(argc - skipped, argv + skipped, USAGE, options, LENGTH(options), &word, &status))
        return status;
    if (options[FAILPOINTS].value != NULL) {
        job_failpoints_print(all_job_kinds, all_sweeps, stdout);
        return 0;
    }
    struct job_filter filter = { .state = options[ALL].value != NULL ? STR_EMPTY : STR(JOB_STATE_OPEN),
                                 .limit = JOBS_SHOWN };
    if (options[STATE].value != NULL)
        filter.state = str_from(options[STATE].value);
    if ((word == NULL && decision != NULL) || (word != NULL && !id_parse(str_from(word), &job)) ||
        (options[PROJECT].value != NULL && !id_parse(str_from(options[PROJECT].value), &filter.project)) ||
        (filter.state.len > 0 && !is_state(filter.state))) {
        fprintf(stderr,
                "reeved jobs: jobs and projects are named by their 24 digits, states in capitals; try --help\n");
        return 2;
    }
    struct operator_place place CLEANUP(operator_place_close);
    if (!operator_place_open(&place, options[CONFIG].value, false))
        return 1;
    if (decision != NULL)
        return decide(&place, decision, job);
    if (word != NULL)
        return show_job(&place, job, options[JSON].value != NULL);
    return show_list(&place, &filter, options[JSON].value != NULL);
}
