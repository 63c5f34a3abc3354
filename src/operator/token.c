/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of operators, and who is calling. A token has 256 random bits, so guessing need not be slowed down. */
#include "api/list.h"
#include "base/json.h"
#include "operator/parts.h"
#include "store/operator/operator.h"

#define TOKEN_KIND "op"

static str
hash_token(struct operator_api *operators, struct arena *arena, str token)
{
    uint8_t mac[SHA256_BYTES];
    crypto_hmac_sha256(&operators->token_key, token, mac);
    return str_dup(arena, (str){ (const char *)mac, sizeof(mac) });
}

/* ---- Making and removing: at the command line of a node only ---- */
/* Who may change things is itself a change. */
static error
write_down(struct tx *tx, const char *operation, str name)
{
    struct arena *arena = tx_arena(tx);
    struct operator_action action = {
        .operator_name = STR("reeved"),
        .operation = str_from(operation),
        .target = str_format(arena, "/operators/%.*s", STR_ARG(name)),
        .request = STR_EMPTY,
        .address = STR_EMPTY,
        .request_id = STR_EMPTY,
    };
    return store_operator_action_add(tx, &action);
}

error
operator_add(struct operator_api *operators, struct arena *arena, str name, int64_t days, str *ret_token,
             str *ret_expires)
{
    str token = secret_new(arena, TOKEN_KIND), expires = STR_EMPTY;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(operators->api.store, arena, &tx));
    TRY(store_operator_add(tx, id_new(store_cell(operators->api.store)), name, hash_token(operators, arena, token),
                           days, &expires));
    if (expires.len == 0)
        return fail(arena, DUPLICATE_NAME, V("name"), V(name));
    TRY(write_down(tx, "addOperator", name));
    TRY(tx_commit(tx));
    *ret_token = token;
    *ret_expires = expires;
    return OK;
}

error
operator_remove(struct operator_api *operators, struct arena *arena, str name)
{
    bool is_there;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(operators->api.store, arena, &tx));
    TRY(store_operator_remove(tx, name, &is_there));
    if (!is_there)
        return fail(arena, RESOURCE_NOT_FOUND, V(str_format(arena, "operator %.*s", STR_ARG(name))));
    TRY(write_down(tx, "removeOperator", name));
    return tx_commit(tx);
}

/* ---- Who is calling ---- */
error
operator_find(struct operator_api *operators, struct arena *arena, str authorization,
              const struct principal **ret_caller)
{
    str token = authorization, scheme = str_cut(&token, ' ');
    struct operator_row row = { 0 };
    if (authorization.len == 0)
        return fail(arena, OPERATOR_TOKEN_REQUIRED);
    token = str_trim(token);
    if (!str_eq_nocase(scheme, STR("Bearer")) || !secret_is_well_formed(token, TOKEN_KIND))
        return fail(arena, OPERATOR_TOKEN_NOT_VALID);
    str hash = hash_token(operators, arena, token);
    TRY(store_operator_by_hash(operators->api.store, arena, hash, &row));
    if (!row.is_found)
        return fail(arena, OPERATOR_TOKEN_NOT_VALID);
    struct principal *caller = ARENA_NEW(arena, struct principal);
    if (caller == NULL)
        return fail(arena, OVERLOADED);
    *caller = (struct principal){ .id = row.id, .kind = PRINCIPAL_OPERATOR, .name = row.name };
    *ret_caller = caller;
    return OK;
}

/* ---- Tables: who is calling, who else may, and what they did ---- */
static const struct field caller_fields[] = {
    TEXT("operator", "Name of the operator who calls.", READ_ONLY | ALWAYS, .example = "\"ada\""),
    TEXT("version", "Version of the node that answers.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema caller_schema = { "OperatorCaller", "Who is calling.", caller_fields };

static const struct field operator_fields[] = {
    TEXT("name", "Name of the operator.", READ_ONLY | ALWAYS, .example = "\"ada\""),
    DATE("createdAt", "When the operator was added.", READ_ONLY | ALWAYS),
    DATE("expiresAt", "When its token expires.", READ_ONLY | ALWAYS),
    BOOL("expired", "Whether the token has expired.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema operator_schema = { "Operator", "Somebody who may use this API.", operator_fields };

static const struct field action_fields[] = {
    INTEGER("sequence", "Place in the order of changes.", READ_ONLY | ALWAYS),
    DATE("at", "When it was changed.", READ_ONLY | ALWAYS),
    TEXT("operator", "Who changed it.", READ_ONLY | ALWAYS),
    TEXT("operation", "The operation.", READ_ONLY | ALWAYS, .example = "\"drainHost\""),
    TEXT("target", "Its path.", READ_ONLY | ALWAYS, .example = "\"/hosts/h1:drain\""),
    OBJECT("request", "What was sent with it.", READ_ONLY),
    TEXT("address", "Address of the request; absent for a change with `reeved` on a node.", READ_ONLY),
    TEXT("requestId", "X-Request-Id of the request.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema action_schema = { "OperatorAction", "A change by an operator.", action_fields };
static const struct field history_query[] = {
    TEXT("operator", "Only what this operator changed.", 0, .max = OPERATOR_NAME_MAX, .example = "\"ada\""),
    END_OF_FIELDS,
};

static error
show_operator(struct request *req)
{
    answer_object(req, json_pack("{s:s%, s:s}", "operator", req->caller->name.data, req->caller->name.len, "version",
                                 REEVE_VERSION));
    return OK;
}

static error
list_operators(struct request *req)
{
    str list;
    TRY(store_operator_list(req->api->store, req->arena, &list));
    return answer_array(req, list, "name");
}

static error
bind_history(struct request *req, struct params *params)
{
    list_bind(req, params);
    params_text(params, P_OPERATOR, request_query(req, "operator"));
    return OK;
}
static const struct read history = { SQL_OPERATOR_ACTION_LIST, bind_history, list_answer };

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "", 0, FOR_OPERATORS, "showOperator", "Return who is calling",
      "Answers with the name of the operator whose token was sent, or who signed in. Use it to test a token.",
      SHAPE_ENTITY, .run = show_operator, .response = &caller_schema },
    { GET, "/operators", 0, FOR_OPERATORS, "listOperators", "Return all operators",
      "Lists who may use this API and until when. To add or remove operators, run `reeved operator` on a node; it needs the "
      "node's key.",
      SHAPE_LIST, .run = list_operators, .response = &operator_schema },
    { GET, "/history", 0, FOR_OPERATORS, "listHistory", "Return what operators changed",
      "Lists every change that an operator made here or with `reeved` on a node, newest first. Entries are never removed.",
      SHAPE_LIST, .read = &history, .response = &action_schema, .query = history_query },
};
// clang-format on
FAMILY(operator_caller_family, "operators", "Operators", "Who may use this API, and what they changed.", endpoints);
