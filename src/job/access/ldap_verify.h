/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of a directory that a tenant wants to use for its database users. The API stores the request as a resource
 * of the kind 'ldapVerification'; a worker does the check. Until then the password is stored sealed, and afterwards it
 * is removed.
 */
#ifndef JOB_ACCESS_LDAP_VERIFY_H
#define JOB_ACCESS_LDAP_VERIFY_H

#include "base/crypto/crypto.h"
#include "base/id.h"
#include "base/net/egress.h"

struct directory_question {
    str host;
    int port; /* 389: TLS is begun with StartTLS; any other: at once */
    str bind_name, password;
    str authority; /* PEM; empty: the system's */
    /* What is looked up, with {USER} for the name: "{USER}?memberOf?base", as in the path of an LDAP URL. */
    str query;
};
enum directory_check { CHECK_SERVER, CHECK_CONNECT, CHECK_AUTHENTICATE, CHECK_PARSE, CHECK_QUERY, DIRECTORY_CHECKS };
struct directory_answer {
    int done;     /* how many of the checks, in their order, were made */
    bool is_good; /* the last of these, and so all */
    str why;      /* a sentence when it is not */
};
/* Given to workers only, so that nobody else needs an LDAP library: job/access/directory.c. */
typedef void directory_asker(struct arena *arena, const struct egress_allowed *allowed,
                             const struct directory_question *question, struct directory_answer *ret_answer);

#endif
