/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of an operator's request. Stages that tenants' requests have, too, are the same functions. */
#include <stdlib.h>

#include "api/catalog.h"
#include "api/render.h"
#include "api/stage/stages.h"
#include "api/stage_list.h"
#include "base/crypto/secret.h"
#include "base/json.h"
#include "operator/parts.h"
#include "operator/session.h"
#include "store/operator/operator.h"

const struct family *const operator_families[] = {
    &operator_caller_family,  &operator_host_family,
    &operator_place_family,   &operator_etcd_family,
    &operator_store_family,   &operator_store_role_family,
    &operator_job_family,     &operator_limit_family,
    &operator_account_family, &operator_instance_family,
    &operator_cluster_family, &operator_support_family,
    &operator_update_family,  NULL,
};

/* ---- Opening ---- */
struct operator_api *
operator_api_new(const struct catalog *catalog, const struct operator_api_config *config)
{
    struct operator_api *operators = calloc(1, sizeof(*operators));
    if (operators == NULL)
        return NULL;
    operators->api = (struct api){
        .catalog = catalog,
        .stages = &operator_stages,
        .metrics = config->metrics,
        .first_counter = config->first_counter,
        .store = config->store,
        .auth = config->auth,
        .base_url = config->base_url,
        .prefix = OPERATOR_PREFIX,
    };
    operators->fleet = fleet_keys(config->store, &config->master_key);
    operators->token_key = crypto_derive(&config->master_key, "operator token v1");
    operators->session_key = crypto_derive(&config->master_key, "operator session v1");
    operators->challenge_key = crypto_derive(&config->master_key, "operator challenge v1");
    operators->agent_listen = str_from(config->agent_listen);
    operators->payment_due_days = config->payment_due_days;
    return operators;
}

void
operator_api_free(struct operator_api *operators)
{
    if (operators == NULL)
        return;
    crypto_wipe(operators, sizeof(*operators));
    free(operators);
}

struct api *
operator_api_base(struct operator_api *operators)
{
    return &operators->api;
}

/* ---- Stages of its own ---- */
static bool
is_loopback(const struct net_address *address)
{
    static const struct net_address v6 = { { [15] = 1 } };
    return net_is_v4(address) ? address->bytes[12] == 127 : memcmp(address, &v6, sizeof(v6)) == 0;
}

/* A token that crosses a network in clear text is everybody's: it is not even looked at. */
static error
check_line(struct request *req)
{
    if (req->in.is_encrypted || is_loopback(&req->in.client))
        return OK;
    return fail(req->arena, OPERATOR_TLS_REQUIRED, V(net_address_text(req->arena, &req->in.client)));
}

/* First of all: a stranger learns not even what there is. */
static error
authenticate(struct request *req)
{
    if (operator_session_is_shown(req))
        return operator_session_find(req, &req->caller);
    return operator_find(operator_api_of(req), req->arena, req->in.authorization, &req->caller);
}

static error
route(struct request *req)
{
    static const str prefix = { OPERATOR_PREFIX, sizeof(OPERATOR_PREFIX) - 1 };
    str raw_query = req->in.target;
    req->path = str_cut(&raw_query, '?');
    str rest = str_slice(req->path, prefix.len < req->path.len ? prefix.len : req->path.len, req->path.len);
    if (!str_starts_with(req->path, prefix) || (rest.len > 0 && rest.data[0] != '/'))
        return request_not_found(req);
    return route_path(req, str_is(rest, "/") ? STR_EMPTY : rest, raw_query);
}

/* Nothing here has an ETag: a condition cannot be kept, and must not be passed over. */
static error
check_conditions(struct request *req)
{
    if (req->in.if_match.len > 0)
        return fail(req->arena, INVALID_HEADER, V("If-Match"),
                    V("nothing in this API has an ETag; leave the header out"));
    return OK;
}

/* What is sent is written down: a secret of Reeve's that was put into a field by mistake must not be. */
static error
check_secrets(struct request *req)
{
    const char *name;
    json_t *value;
    json_object_foreach(req->body, name, value)
    {
        str text = json_str(value);
        if (secret_is_in(text.data, text.len))
            return fail(
                req->arena, INVALID_ATTRIBUTE_VALUE, V(name),
                V("it contains a secret, which must not be in an address: send it in the body, and replace the secret"));
    }
    return OK;
}

/* What is sent, without the secrets of others that some operations take. */
static str
without_secrets(struct request *req)
{
    const struct schema *schema = req->endpoint->request;
    if (req->body == NULL)
        return STR_EMPTY;
    json_t *shown = json_in(req->arena, json_copy(req->body));
    for (const struct field *field = schema == NULL ? NULL : schema->fields; field != NULL && field->name != NULL;
         field++) {
        if ((field->flags & WRITE_ONLY) != 0 && json_object_get(shown, field->name) != NULL)
            json_object_set_new(shown, field->name, json_string("***"));
    }
    return shown == NULL ? STR_EMPTY : json_text(req->arena, shown);
}

/* What is changed is written down with who changes it, or not changed. Before the change, while the transaction is the service's. */
static error
write_down(struct request *req)
{
    if (req->tx == NULL || req->replayed)
        return OK;
    struct operator_action action = {
        .operator_name = req->caller->name,
        .operation = str_from(req->endpoint->operation),
        .target = str_dup(req->arena, str_slice(req->path, sizeof(OPERATOR_PREFIX) - 1, req->path.len)),
        .request = without_secrets(req),
        .address = req->in.request_id.len == 0 ? STR_EMPTY : net_address_text(req->arena, &req->in.client),
        .request_id = str_dup(req->arena, req->in.request_id),
    };
    return store_operator_action_add(req->tx, &action);
}

static void
challenge(struct request *req, error why)
{
    (void)why;
    response_header(&req->out, STR("WWW-Authenticate"), STR("Bearer realm=\"operator\""));
}

// clang-format off
static const struct stage stages[] = {
    { "line", check_line, "does the token come encrypted, or from this machine?", "403" },
    { "sign in", operator_sign_in, "is it about a session of a browser?", "401, 403" },
    { "authenticate", authenticate, "which operator is it?", "401, 403" },
    { "route", route, "which operation is it?", "404, 405" },
    { "presence", operator_session_check_presence, "in a session: must the passkey be shown once more?", "403" },
    { "conditions", check_conditions, "is there a condition that cannot be kept?", "400" },
    { "validate", stage_validate, "are path, query, headers and body what the tables say?", "400, 406, 415" },
    { "secrets", check_secrets, "is a secret in what is going to be written down?", "400" },
    { "open", stage_open, "a transaction, for what changes something", "503" },
    { "idempotency", stage_idempotency, "was this `Idempotency-Key` seen before?", "409, 422, or the first answer again" },
    { "write down", write_down, "who changes what, before it is changed", "503" },
    { "run", stage_run, "the operation", "404, 409 …" },
    { "commit", stage_commit, "the change and the record of it together", "409, 503" },
    { "render", stage_render, "links, headers", "" },
};
// clang-format on

const struct stage_list operator_stages = { "A request of the operators' API", stages, LENGTH(stages), challenge };

/* ---- In this process ---- */
enum { FIRST_ROUTED = 3 /* behind line, sign in and authenticate */ };

static void
call(struct request *req, const char *who, const char *method, str path, const json_t *body)
{
    struct principal *caller = ARENA_NEW(req->arena, struct principal);
    if (caller == NULL) {
        api_refuse(req, fail(req->arena, OVERLOADED));
        return;
    }
    *caller = (struct principal){ .kind = PRINCIPAL_OPERATOR, .name = str_from(who) };
    req->caller = caller;
    req->in = (struct received){
        .method = str_from(method),
        .target = str_format(req->arena, "%s%.*s", OPERATOR_PREFIX, STR_ARG(path)),
        .content_type = STR("application/json"),
        .body = body == NULL ? STR_EMPTY : json_text(req->arena, body),
        .authorization = STR_EMPTY,
        .accept = STR_EMPTY,
        .idempotency_key = STR_EMPTY,
        .if_match = STR_EMPTY,
        .if_none_match = STR_EMPTY,
        .last_event_id = STR_EMPTY,
        .cookie = STR_EMPTY,
        .origin = STR_EMPTY,
        .fetch_site = STR_EMPTY,
        .user_agent = STR_EMPTY,
        .request_id = STR_EMPTY,
    };
    req->stage = FIRST_ROUTED;
    api_handle(req);
}

/* The error outlives the request that it was made in. */
static error
copy_error(struct arena *arena, error problem)
{
    struct value values[ERROR_MAX_PARAMETERS];
    for (unsigned i = 0; i < problem->parameter_count; i++)
        values[i] = problem->parameters[i];
    return failure_new(arena, problem->code, problem->parameter_count, values);
}

error
operator_api_call(struct operator_api *operators, struct arena *arena, const char *who, const char *method, str path,
                  const json_t *body, str *ret_answer)
{
    struct request *req = request_new(&operators->api);
    if (req == NULL)
        return fail(arena, OVERLOADED);
    call(req, who, method, path, body);
    error problem = req->failed == OK ? OK : copy_error(arena, req->failed);
    if (problem == OK)
        *ret_answer = req->out.body.len == 0 ? STR_EMPTY : str_dup(arena, req->out.body);
    request_free(req);
    return problem;
}

/* ---- Answers ---- */
error
answer_array(struct request *req, str array, const char *key)
{
    const json_t *list = json_parse_own(req->arena, array);
    if (!json_is_array(list))
        return fail(req->arena, OVERLOADED);
    size_t total = json_array_size(list), first = (size_t)((req->page.number - 1) * req->page.size);
    size_t end = first + (size_t)req->page.size;
    answer_list(req, (int64_t)total, end < total);
    for (size_t i = first; i < end && i < total; i++) {
        const json_t *item = json_array_get(list, i);
        answer_item(req, json_text(req->arena, item), json_str(json_object_get(item, key)));
    }
    return OK;
}

void
answer_object(struct request *req, json_t *object)
{
    answer_entity(req, json_text(req->arena, json_in(req->arena, object)), 0);
}

struct event_actor
actor_of(struct request *req)
{
    bool is_remote = req->in.request_id.len > 0;
    return (struct event_actor){
        .name = req->caller->name,
        .kind = STR("OPERATOR"),
        .address = is_remote ? net_address_text(req->arena, &req->in.client) : STR_EMPTY,
        .request_id = req->in.request_id,
    };
}
