/* SPDX-License-Identifier: Apache-2.0 */
#include "job/job.h"

const char *const job_moment_names[JOB_MOMENTS] = { "before-effect", "after-effect", "after-commit" };

error
job_add(struct tx *tx, const struct job_kind *kind, struct job_draft draft, id *ret_job)
{
    draft.kind = str_from(kind->name);
    draft.first_step = str_from(kind->steps[0].name);
    draft.step_count = (int)kind->count;
    return store_job_add(tx, &draft, ret_job);
}

const struct job_kind *
job_kind_find(const struct job_kind *const *kinds, str name)
{
    for (; *kinds != NULL; kinds++) {
        if (str_is(name, (*kinds)->name))
            return *kinds;
    }
    return NULL;
}

size_t
job_step_find(const struct job_kind *kind, str name)
{
    size_t i = 0;
    while (i < kind->count && !str_is(name, kind->steps[i].name))
        i++;
    return i;
}

/* ---- Checking ---- */

/* Names stand in fail points and in a text[]: no commas, colons, quotes or spaces. */
static bool
is_name(const char *name)
{
    return name != NULL && name[0] != '\0' && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-")] == '\0';
}

static int
check_kind(const struct job_kind *kind, FILE *problems)
{
    int mistakes = 0;
    if (!is_name(kind->name) || kind->doc == NULL || kind->count == 0)
        mistakes += fprintf(problems, "job %s: needs a plain name, a sentence and a step\n", kind->name) > 0;
    for (size_t i = 0; i < kind->count; i++) {
        const struct job_step_row *step = &kind->steps[i];
        if (!is_name(step->name) || step->doc == NULL || step->run == NULL || step->deadline_s <= 0)
            mistakes +=
                fprintf(problems, "job %s: step %zu needs a plain name, a sentence, a function and a deadline\n",
                        kind->name, i) > 0;
        else if (job_step_find(kind, str_from(step->name)) != i)
            mistakes += fprintf(problems, "job %s: there are two steps %s\n", kind->name, step->name) > 0;
    }
    return mistakes;
}

bool
job_tables_check(const struct job_kind *const *kinds, const struct sweep *const *sweeps, FILE *problems)
{
    int mistakes = 0;
    for (const struct job_kind *const *one = kinds; *one != NULL; one++) {
        mistakes += check_kind(*one, problems);
        if (job_kind_find(kinds, str_from((*one)->name)) != *one)
            mistakes += fprintf(problems, "job %s: there are two of this name\n", (*one)->name) > 0;
    }
    for (; *sweeps != NULL; sweeps++) {
        if (!is_name((*sweeps)->name) || (*sweeps)->doc == NULL || (*sweeps)->run == NULL || (*sweeps)->every_s <= 0)
            mistakes += fprintf(problems, "sweep %s: needs a plain name, a sentence, a function and a period\n",
                                (*sweeps)->name) > 0;
    }
    return mistakes == 0;
}

void
job_failpoints_print(const struct job_kind *const *kinds, const struct sweep *const *sweeps, FILE *out)
{
    for (; *kinds != NULL; kinds++) {
        for (size_t i = 0; i < (*kinds)->count; i++) {
            for (int moment = 0; moment < JOB_MOMENTS; moment++)
                fprintf(out, "job:%s:%s:%s\n", (*kinds)->name, (*kinds)->steps[i].name, job_moment_names[moment]);
        }
    }
    for (; *sweeps != NULL; sweeps++) {
        for (int moment = 0; moment < JOB_MOMENTS; moment++)
            fprintf(out, "sweep:%s:%s\n", (*sweeps)->name, job_moment_names[moment]);
    }
}
