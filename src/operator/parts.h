/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations have in common. */
#ifndef OPERATOR_PARTS_H
#define OPERATOR_PARTS_H

#include "operator/operator.h"
#include "store/event/event.h"

struct operator_api {
    struct api api; /* first: the api of a request is its operators' */
    struct fleet fleet;
    struct key token_key;                  /* of which operators' tokens are known */
    struct key session_key, challenge_key; /* the same of their cookies, and of what their passkeys answer */
    str agent_listen;
    int64_t payment_due_days;
};

static inline struct operator_api *
operator_api_of(const struct request *req)
{
    return (struct operator_api *)req->api;
}

extern const struct family operator_caller_family, operator_host_family, operator_place_family, operator_job_family,
    operator_account_family, operator_limit_family, operator_etcd_family, operator_store_family,
    operator_store_role_family, operator_instance_family, operator_cluster_family, operator_support_family,
    operator_update_family;

/* What a member's agent says of it, where members are shown. */
#define MEMBER_REPORT_FIELDS                                                                                      \
    TEXT("running", "State that it reports.", READ_ONLY | ALWAYS), TEXT("size", "Its size.", READ_ONLY | ALWAYS), \
        INTEGER("lagBytes", "How far it is behind the primary.", READ_ONLY | NULLABLE),                           \
        TEXT("version", "Version of its server.", READ_ONLY | NULLABLE),                                          \
        TEXT("problem", "Problem that its agent reports.", READ_ONLY | NULLABLE)

/* ---- tokens ---- */
/* Whose token it is. The answer to one that is not known and to one that has expired is the same. */
MUST_USE error operator_find(struct operator_api *operators, struct arena *arena, str authorization,
                             const struct principal **ret_caller);

/* ---- clusters.c ---- */
/* The cluster of any tenant that is meant, by its name, as operators are shown it; empty: there is none. `ambiguous`: what a name that several have is. */
MUST_USE error operator_find_cluster(struct request *req, str named, enum error_code ambiguous, str *ret_document);

/* ---- answers ---- */
/* Answers with a page of a whole JSON list; `key` is the field that names an item. */
MUST_USE error answer_array(struct request *req, str array, const char *key);
/* An object that was made with json_pack(). */
void answer_object(struct request *req, json_t *object);

/* Who does it, for events. */
struct event_actor actor_of(struct request *req);

#endif
