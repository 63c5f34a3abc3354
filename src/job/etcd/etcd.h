/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the control plane does in etcd (docs/internals/etcd.md): it makes a user and a role for each cluster, for its
 * own keys only, and turns on authentication of the group when every member uses it. Everything can be repeated at any
 * time.
 */
#ifndef JOB_ETCD_ETCD_H
#define JOB_ETCD_ETCD_H

#include "base/crypto/crypto.h"
#include "base/error.h"
#include "base/id.h"

/* One request to etcd's JSON gateway. All of it PEM, in memory. */
struct etcd_request {
    str url;
    str authority, certificate, key;
    str token; /* empty: none */
    str body;
};
/* The status, or 0 with a sentence. Given to workers only, so that nobody else needs an HTTP library: job/etcd/etcd_call.c. */
typedef int etcd_caller(struct arena *arena, const struct etcd_request *request, str *ret_body, str *ret_why);

struct job_context;
struct cluster;
/* For steps. *ret_is_done is false, with a sentence, when the group must be asked again. A cluster of a group without users is done. */
MUST_USE error etcd_make_scope(struct job_context *context, id cluster, bool *ret_is_done, str *ret_why);
/* Keys, user and role of a cluster go. *ret_is_mine is false when the group has no users: then a host does it. */
MUST_USE error etcd_remove_scope(struct job_context *context, id cluster, bool *ret_is_mine, bool *ret_is_done,
                                 str *ret_why);
/* Only the keys go, so that members that start agree anew; user and role stay. *ret_is_mine as above. */
MUST_USE error etcd_remove_keys(struct job_context *context, id cluster, bool *ret_is_mine, bool *ret_is_done,
                                str *ret_why);

#endif
