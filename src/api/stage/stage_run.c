/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a request that may be done to its answer: validation, the transaction, the handler, the commit. Validation comes
 * before the idempotency lookup because it needs no connection; the outcome is the same, since a recorded request was
 * valid and an equal one is too.
 */
#include "api/catalog.h"
#include "api/media.h"
#include "api/render.h"
#include "api/stage/stages.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/crypto/secret.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "store/cluster/cluster.h"
#include "store/idempotency.h"
#include "store/resource.h"

enum { MAX_IDEMPOTENCY_KEY = 255, RESOLVE_COMMIT_MS = 5000, RESOLVE_STEP_MS = 200 };
/* Where no body is taken, one that says nothing is let pass, and one that names something is told what: both are short. */
enum { LARGEST_UNEXPECTED_BODY = 1024 };

static bool
changes_something(const struct request *req)
{
    return req->endpoint->method != GET;
}

/* ---- validate ---- */

static error
check_idempotency_key(struct request *req)
{
    str key = req->in.idempotency_key;
    for (size_t i = 0; i < key.len; i++) {
        if (key.data[i] < '!' || key.data[i] > '~')
            return fail(req->arena, INVALID_HEADER, V("Idempotency-Key"),
                        V("it must be printable ASCII without spaces"));
    }
    if (key.len > MAX_IDEMPOTENCY_KEY)
        return fail(req->arena, INVALID_HEADER, V("Idempotency-Key"), V("it must be at most 255 characters long"));
    return OK;
}

static error
validate_unexpected_body(struct request *req)
{
    if (req->in.body.len == 0)
        return OK;
    json_t *body;
    if (req->in.body.len > LARGEST_UNEXPECTED_BODY)
        return fail(req->arena, INVALID_JSON, V("this operation takes no body"));
    TRY(json_parse(req->arena, req->in.body, &body));
    if (!json_is_object(body))
        return fail(req->arena, INVALID_JSON, V("this operation takes no body"));
    void *first = json_object_iter(body);
    return first == NULL ? OK : fail(req->arena, INVALID_ATTRIBUTE, V(json_object_iter_key(first)));
}

/* Nothing is named like a credential. One that was put into the address by mistake must not go on into statements, which
 * a database may be set to log. */
static error
check_address(struct request *req)
{
    for (size_t i = 0; i < req->path_count; i++) {
        if (secret_is_in(req->path_values[i].data, req->path_values[i].len))
            return request_not_found(req);
    }
    for (size_t i = 0; i < req->query_count; i++) {
        if (secret_is_in(req->query[i].value.data, req->query[i].value.len))
            return fail(
                req->arena, INVALID_QUERY_PARAMETER, V(req->query[i].name),
                V("it contains a secret, which must not be in an address: send it in the body, and replace the secret"));
    }
    return OK;
}

/* What has not the form of a name cannot be one. */
static error
check_path(struct request *req)
{
    for (const struct field *f = req->endpoint->path_fields; f != NULL && f->name != NULL; f++) {
        str name = str_from(f->name);
        if (validate_query(req->arena, f, name, request_path_value(req, f->name)) != OK)
            return request_not_found(req);
    }
    return OK;
}

error
stage_validate(struct request *req)
{
    const struct endpoint *e = req->endpoint;
    if (!endpoint_is_described(e))
        return OK; /* there is nothing to judge it by */
    TRY(req->input_problem);
    TRY(check_address(req));
    TRY(check_path(req));
    TRY(check_idempotency_key(req));
    if (e->request == NULL)
        return validate_unexpected_body(req);
    TRY(media_check_body(req->arena, req->in.content_type));
    if (req->in.body.len == 0)
        return fail(req->arena, INVALID_JSON, V("the request has no body"));
    if (!req->may_block && req->in.body.len > API_SMALL_BODY)
        return WOULD_BLOCK;
    TRY(json_parse(req->arena, req->in.body, &req->body));
    if (e->flags & BODY_IS_LIST)
        return validate_list_body(req->arena, e->request, req->body);
    enum validate_mode mode = e->method == POST  ? VALIDATE_CREATE
                              : e->method == PUT ? VALIDATE_REPLACE
                                                 : VALIDATE_UPDATE;
    return validate_body(req->arena, e->request, mode, req->body);
}

/* ---- available ---- */

/* What has no behaviour of its own yet is still below something that is there or not. */
static error
check_cluster(struct request *req)
{
    static const struct {
        const char *part, *parameter, *kind;
    } places[] = {
        { "/clusters/{clusterName}", "clusterName", CLUSTER_KIND },
        { "/flexClusters/{name}", "name", FLEX_CLUSTER_KIND },
    };
    for (size_t i = 0; i < LENGTH(places); i++) {
        str document;
        if (!id_is_there(req->project) || strstr(req->endpoint->path, places[i].part) == NULL)
            continue;
        if (!req->may_block)
            return WOULD_BLOCK;
        TRY(store_resource_read(req->api->store, req->arena, req->project, str_from(places[i].kind),
                                request_path_value(req, places[i].parameter), &document));
        if (document.len == 0)
            return request_not_found(req);
    }
    return OK;
}

/* After validation: what is wrong with a request does not depend on whether there is behaviour yet. */
error
stage_available(struct request *req)
{
    if (req->endpoint->refuses != 0)
        return fail(req->arena, req->endpoint->refuses);
    if (endpoint_is_complete(req->endpoint))
        return OK;
    TRY(check_cluster(req));
    return fail(req->arena, NOT_IMPLEMENTED, V(method_names[req->endpoint->method]), V(req->endpoint->path));
}

/* ---- open ---- */

error
stage_open(struct request *req)
{
    if (!changes_something(req))
        return OK;
    if (!req->may_block)
        return WOULD_BLOCK;
    if (req->caller->kind == PRINCIPAL_OPERATOR)
        return tx_begin_service(req->api->store, req->arena, &req->tx);
    /* A person belongs to none: until the handler names one, the transaction sees the rows of an organization that is not there. */
    id organization = id_or(req->organization, req->caller->organization);
    return tx_begin(req->api->store, req->arena, id_or(organization, id_new(store_cell(req->api->store))), &req->tx);
}

/* ---- idempotency ---- */

static bool
has_idempotency_key(const struct request *req)
{
    return req->endpoint->method == POST && req->in.idempotency_key.len > 0 && !req->dry_run;
}

/* What makes two requests the same: method, target and body. With a key, because a body may hold a password, which could be
 * guessed from a plain hash. */
static void
request_fingerprint(struct request *req, uint8_t ret_hash[SHA256_BYTES])
{
    struct buf text = buf_in(req->arena, 2 * JSON_MAX_BYTES);
    buf_add(&text, req->in.method);
    buf_add_char(&text, '\n');
    buf_add(&text, req->in.target);
    buf_add_char(&text, '\n');
    buf_add(&text, req->in.body);
    struct key key = auth_key_for(req->api->auth, "idempotency fingerprint");
    crypto_hmac_sha256(&key, buf_str(&text), ret_hash);
}

static str
seal_binding(struct request *req)
{
    str principal = id_text(req->arena, req->caller->id);
    return str_format(req->arena, "idempotency/%.*s/%.*s", STR_ARG(principal), STR_ARG(req->in.idempotency_key));
}

/* The recorded answer becomes this request's, as if the handler had just given it. */
static error
replay(struct request *req, const struct idempotency_record *record)
{
    uint8_t hash[SHA256_BYTES];
    request_fingerprint(req, hash);
    if (memcmp(record->request_hash, hash, sizeof(hash)) != 0)
        return fail(req->arena, IDEMPOTENCY_KEY_REUSED, V(req->in.idempotency_key));
    struct key key = auth_key_for(req->api->auth, "idempotency");
    str plain;
    if (!crypto_open(req->arena, &key, seal_binding(req), record->answer, &plain))
        return fail(req->arena, INTERNAL_ERROR);
    json_t *recorded = json_parse_own(req->arena, plain);
    if (recorded == NULL)
        return fail(req->arena, INTERNAL_ERROR);
    const json_t *items = json_object_get(recorded, "items");
    if (items != NULL) {
        answer_list(req, json_integer_value(json_object_get(recorded, "total")),
                    json_is_true(json_object_get(recorded, "hasNext")));
        buf_add(&req->answer.items, json_str(items));
    } else {
        req->answer.kind = json_object_get(recorded, "document") == NULL ? ANSWER_NOTHING : ANSWER_ENTITY;
        req->answer.document = json_str(json_object_get(recorded, "document"));
    }
    req->answer.key = json_str(json_object_get(recorded, "key"));
    req->answer.operation = json_str(json_object_get(recorded, "operation"));
    req->answer.revision = json_integer_value(json_object_get(recorded, "revision"));
    req->answer.status = (unsigned)record->status;
    req->replayed = true;
    return OK;
}

error
stage_idempotency(struct request *req)
{
    if (!has_idempotency_key(req))
        return OK;
    bool in_flight;
    struct idempotency_record record;
    TRY(store_idempotency_lock(req->tx, req->caller->id, req->in.idempotency_key, &in_flight));
    if (in_flight)
        return error_retry_after(req->arena, fail(req->arena, IDEMPOTENCY_KEY_IN_FLIGHT, V(req->in.idempotency_key)),
                                 1);
    TRY(store_idempotency_find(req->tx, req->caller->id, req->in.idempotency_key, &record));
    return record.found ? replay(req, &record) : OK;
}

static error
record_answer(struct request *req)
{
    json_t *answer = json_in(req->arena, json_object());
    if (answer == NULL)
        return fail(req->arena, OVERLOADED);
    if (req->answer.kind == ANSWER_ENTITY)
        json_object_set_new(answer, "document", json_stringn(req->answer.document.data, req->answer.document.len));
    if (req->answer.kind == ANSWER_LIST) {
        str items = buf_str(&req->answer.items);
        json_object_set_new(answer, "items", json_stringn(items.data, items.len));
        json_object_set_new(answer, "total", json_integer(req->answer.total));
        json_object_set_new(answer, "hasNext", json_boolean(req->answer.has_next));
    }
    json_object_set_new(answer, "key", json_stringn(req->answer.key.data, req->answer.key.len));
    json_object_set_new(answer, "operation", json_stringn(req->answer.operation.data, req->answer.operation.len));
    json_object_set_new(answer, "revision", json_integer(req->answer.revision));
    struct key key = auth_key_for(req->api->auth, "idempotency");
    str sealed;
    if (!crypto_seal(req->arena, &key, seal_binding(req), json_text(req->arena, answer), &sealed))
        return fail(req->arena, OVERLOADED);
    unsigned status = req->answer.status != 0 ? req->answer.status : endpoint_success_status(req->endpoint);
    uint8_t hash[SHA256_BYTES];
    request_fingerprint(req, hash);
    return store_idempotency_add(req->tx, req->caller->id, req->in.idempotency_key, hash, (int)status, sealed);
}

/* ---- run ---- */

error
stage_run(struct request *req)
{
    const struct endpoint *e = req->endpoint;
    if (req->replayed)
        return OK;
    if (req->wants_stream)
        return req->may_block ? e->feed->open(req) : WOULD_BLOCK;
    /* Another layout is made by parsing the whole answer. */
    if (!req->may_block && (api_is_large(req) || (req->pretty && e->shape == SHAPE_LIST)))
        return WOULD_BLOCK;
    if (e->read != NULL) {
        req->read_params.count = 0;
        TRY(e->read->bind(req, &req->read_params));
        if (!req->may_block) {
            req->needs = API_NEEDS_ROWS;
            return WOULD_BLOCK;
        }
        struct rows rows;
        TRY(store_read(req->api->store, req->arena, e->read->statement, &req->read_params, &rows));
        return e->read->answer(req, &rows);
    }
    if (!req->may_block)
        return WOULD_BLOCK;
    failpoint("request:%s:before-effect", e->operation);
    return e->run(req);
}

/* ---- commit ---- */

/* The connection broke while the commit was under way. With a key the record tells what became of it; without one the
 * client has to look for itself. */
static error
resolve_unknown_commit(struct request *req, error unknown)
{
    if (!has_idempotency_key(req))
        return unknown;
    for (int64_t until = clock_steady_ms() + RESOLVE_COMMIT_MS; clock_steady_ms() < until;
         clock_sleep_ms(RESOLVE_STEP_MS)) {
        struct idempotency_record record;
        error problem = store_idempotency_find_outside(req->api->store, req->arena, req->caller->id,
                                                       req->in.idempotency_key, &record);
        if (problem == OK && record.found)
            return OK;
    }
    return unknown;
}

error
stage_commit(struct request *req)
{
    if (req->tx == NULL || req->replayed || req->dry_run)
        return OK; /* what is not committed is rolled back when the request ends */
    if (has_idempotency_key(req))
        TRY(record_answer(req));
    if (arena_is_exhausted(req->arena))
        return fail(req->arena, OVERLOADED);
    failpoint("request:%s:after-effect", req->endpoint->operation);
    error problem = tx_commit(req->tx);
    failpoint("request:%s:after-commit", req->endpoint->operation);
    if (problem != OK && problem->code == OUTCOME_UNKNOWN)
        problem = resolve_unknown_commit(req, problem);
    return problem;
}

error
stage_render(struct request *req)
{
    return render_answer(req);
}
