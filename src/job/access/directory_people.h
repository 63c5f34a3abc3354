/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from an answer of a directory: who is in a group now, who is left out, and what is told about it. Arithmetic only. */
#ifndef JOB_ACCESS_DIRECTORY_PEOPLE_H
#define JOB_ACCESS_DIRECTORY_PEOPLE_H

#include <jansson.h>

#include "base/str.h"

enum {
    DIRECTORY_EMPTY_S = 10 * 60, /* for so long nobody is not believed, of a group that had several people */
    DIRECTORY_PROJECT_PEOPLE_MAX = 2000,
    DIRECTORY_PROJECT_ROLES_MAX = 5000, /* of all people together; project_access_goal.sql has it, too */
    DIRECTORY_TOLD_MAX = 100,           /* names in an event */
};

struct directory_before { /* of a group, as it was stored */
    str name;
    const json_t *members, *skipped;
    int64_t empty_for_s; /* -1: it was not */
};
struct directory_after {
    json_t *members, *skipped;
    bool is_empty;           /* the directory names nobody, and the members are those of before */
    json_t *added, *removed; /* names */
    bool is_newly_empty;     /* to be told */
    bool has_newly_skipped;  /* likewise */
};

/* `names` are what the directory said; `taken` is {name: kind} of the project. Everything that is made belongs to the arena. */
void directory_people_judge(struct arena *arena, const struct directory_before *before, str *names, size_t count,
                            const json_t *taken, struct directory_after *ret_after);

#endif
