/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a directory that a tenant named, with TLS and as the name that searches it. All addresses of the server are judged
 * before one of them is connected to. Nothing that a server does takes more than seconds or more than half a megabyte at a time.
 */
#ifndef JOB_ACCESS_DIRECTORY_LINK_H
#define JOB_ACCESS_DIRECTORY_LINK_H

#include <ldap.h>

#include "job/access/ldap_verify.h"

enum {
    DIRECTORY_TIMEOUT_S = 5,
    DIRECTORY_LINK_MS = 30 * 1000
}; /* for each answer, and for all that is done with a connection */

struct directory_watch;
struct directory_link {
    LDAP *ldap;
    struct directory_watch *watch;
    int authority; /* a file; -1: none */
};

/* Looks the server up; false with a sentence when it is not to be connected to. */
MUST_USE bool directory_link_place(struct arena *arena, const struct egress_allowed *allowed,
                                   const struct directory_question *question, struct egress_target *ret_target,
                                   str *ret_why);
/* Both return a result of libldap. Whatever it is, the link is closed in the end. */
MUST_USE int directory_link_open(struct arena *arena, const struct directory_question *question,
                                 const struct egress_target *target, struct directory_link *link);
MUST_USE int directory_link_bind(struct arena *arena, const struct directory_question *question,
                                 struct directory_link *link);
/* A sentence: what failed, what the result means, and what the server said about it. */
str directory_link_problem(struct arena *arena, const struct directory_link *link, int result, const char *what);
void directory_link_close(struct directory_link *link);

/* A value of a filter. */
void directory_filter_add(struct buf *out, str text);

#endif
