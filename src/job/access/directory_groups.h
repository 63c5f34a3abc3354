/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a directory who is in its groups. Only workers do. */
#ifndef JOB_ACCESS_DIRECTORY_GROUPS_H
#define JOB_ACCESS_DIRECTORY_GROUPS_H

#include "cluster/directory_groups.h"
#include "job/access/ldap_verify.h"

enum {
    DIRECTORY_PEOPLE_MAX = 1000,     /* of a group */
    DIRECTORY_PERSON_BYTES = 1024,   /* of a name; what is longer is cut, because it is none */
    DIRECTORY_GROUPS_MS = 20 * 1000, /* for all of them */
};

struct directory_group_answer {
    bool is_known;
    str why; /* a sentence when it is not */
    size_t count;
    str *names; /* as the directory has them: any bytes, in any order, some of them twice */
};

/*
 * One answer for each group. What a directory does not answer in time, or what is more than a group may have, is not known; nobody is
 * guessed. False with a sentence when there was no connection, and so nothing is known of any.
 */
MUST_USE bool directory_groups_ask(struct arena *arena, const struct egress_allowed *allowed,
                                   const struct directory_question *question, const struct directory_groups *how,
                                   const str *groups, size_t count, struct directory_group_answer *ret_answers,
                                   str *ret_why);

#endif
