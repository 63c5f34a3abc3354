/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration and a store, for operator's commands that need the database and nothing else of a node. */
#ifndef MAIN_OPERATOR_PLACE_H
#define MAIN_OPERATOR_PLACE_H

#include <jansson.h>

#include "main/node.h"

struct operator_place {
    struct arena *arena;
    struct config *config;
    struct store *store;
    struct operator_api *operators;
    char url[CONFIG_URL_BYTES];
};

/*
 * False, with the problem on standard error, when it fails; close it in either case. Only commands about secrets need
 * the node's key; the others also work for users who may not read it.
 */
MUST_USE bool operator_place_open(struct operator_place *place, const char *config_path, bool with_key);
void operator_place_close(struct operator_place *place);

/*
 * An operation of the operator's API in this process. *ret_answer is its document, NULL without one; the reference to
 * `body` is taken. The history names `reeved` as the author of the change.
 */
MUST_USE error operator_api_call_json(struct operator_api *operators, struct arena *arena, const char *method, str path,
                                      json_t *body, json_t **ret_answer);

#endif
