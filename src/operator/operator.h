/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's API: how operators manage hosts, places, jobs, limits and organizations. Its tables use the same types
 * as the tenants' API (api/contract.h), so that validation, rendering, the command line and the reference are made from
 * them as well. It has its own address, its own tokens and sessions, and its own stages (`operator_stages` in operator_api.c). It
 * runs without nginx: `reeved fleet` and its like call the same operations in their own process.
 */
#ifndef OPERATOR_OPERATOR_H
#define OPERATOR_OPERATOR_H

#include "api/api.h"
#include "api/render.h"
#include "fleet/fleet.h"
#include "store/session/session.h"

/* In reading order, NULL at the end. */
extern const struct family *const operator_families[];

/* ---- The API where operators are served ---- */
struct operator_api_config {
    struct store *store; /* these two stay the caller's */
    struct auth *auth;   /* NULL: nobody sends an Idempotency-Key */
    struct key master_key;
    str base_url;             /* "http://127.0.0.1:9443": where the operator's address is */
    const char *agent_listen; /* what a machine that joins is told; empty: it must be filled in */
    int64_t payment_due_days;
    struct metrics *metrics; /* NULL: nobody counts */
    size_t first_counter;    /* of its operations in there */
};
struct operator_api;
/* `catalog` is made of operator_families. NULL without memory. */
MUST_USE struct operator_api *operator_api_new(const struct catalog *catalog, const struct operator_api_config *config);
void operator_api_free(struct operator_api *operators);
/* For request_new(). api_handle() then takes a request the whole way, on a thread. */
struct api *operator_api_base(struct operator_api *operators);
extern const struct stage_list operator_stages;

/*
 * Runs one operation in this process, for a user who may read the configuration of the node: the history names `who` as
 * its author. `body` may be NULL. *ret_answer is the document; empty when the operation answers with nothing.
 */
MUST_USE error operator_api_call(struct operator_api *operators, struct arena *arena, const char *who,
                                 const char *method, str path, const json_t *body, str *ret_answer);

/* ---- Operators ---- */
enum { OPERATOR_DAYS = 90, OPERATOR_DAYS_MAX = 3650 };
/* "reeve_op_…", of which only a MAC is kept. DUPLICATE_NAME when there is one of that name. */
MUST_USE error operator_add(struct operator_api *operators, struct arena *arena, str name, int64_t days, str *ret_token,
                            str *ret_expires);
/* A token with which an operator adds their first passkey, once; not for one who has a passkey. */
MUST_USE error operator_enrol(struct operator_api *operators, struct arena *arena, str name, int64_t hours,
                              enum enrolment_outcome *ret_outcome, str *ret_token, str *ret_expires);
/* RESOURCE_NOT_FOUND when there is none. */
MUST_USE error operator_remove(struct operator_api *operators, struct arena *arena, str name);

#endif
