/* SPDX-License-Identifier: Apache-2.0 */
#include "job/access/ldap_verify.h"

#include "base/crypto/directory_password.h"
#include "base/json.h"
#include "job/kinds.h"
#include "store/resource.h"

static const char *const check_names[DIRECTORY_CHECKS] = {
    [CHECK_SERVER] = "SERVER_SPECIFIED", [CHECK_CONNECT] = "CONNECT",    [CHECK_AUTHENTICATE] = "AUTHENTICATE",
    [CHECK_PARSE] = "PARSE_AUTHZ_QUERY", [CHECK_QUERY] = "QUERY_SERVER",
};

static bool
open_password(struct job_context *context, id resource, const json_t *document, str *ret_password)
{
    struct key key = crypto_derive(&context->environment->key, DIRECTORY_KEY_PURPOSE);
    return directory_password_open(context->arena, &key, resource, json_str(json_object_get(document, "sealed")),
                                   ret_password);
}

static void
note_answer(json_t *document, const struct directory_answer *answer)
{
    json_t *validations = json_array();
    for (int i = 0; i < answer->done; i++) {
        bool is_good = answer->is_good || i + 1 < answer->done;
        json_array_append_new(
            validations, json_pack("{s:s, s:s}", "validationType", check_names[i], "status", is_good ? "OK" : "FAIL"));
    }
    json_object_set_new(document, "validations", validations);
    json_object_set_new(document, "status", json_string(answer->is_good ? "SUCCESS" : "FAIL"));
    if (!answer->is_good)
        json_object_set_new(document, "problem", json_stringn(answer->why.data, answer->why.len));
    json_object_del(document, "sealed");
}

static error
check(struct job_context *context, struct job_result *ret_result)
{
    const struct job *job = context->job;
    struct resource resource;
    bool found;
    str password = STR_EMPTY;
    *ret_result = (struct job_result){ .outcome = STEP_DONE };
    TRY(store_resource_lock(context->tx, job->project, STR("ldapVerification"), id_text(context->arena, job->subject),
                            &found, &resource));
    json_t *document = found ? json_parse_own(context->arena, resource.document) : NULL;
    if (document == NULL || json_object_get(document, "sealed") == NULL)
        return OK; /* its project is gone, or it was checked already */
    const json_t *request = json_object_get(document, "request");
    struct directory_answer answer = { .why = STR("The password cannot be opened with this worker's key.") };
    if (context->environment->ask_directory == NULL)
        return fail(context->arena, INTERNAL_ERROR);
    if (open_password(context, resource.id, document, &password)) {
        struct directory_question question = {
            .host = json_str(json_object_get(request, "hostname")),
            .port = (int)json_integer_value(json_object_get(request, "port")),
            .bind_name = json_str(json_object_get(request, "bindUsername")),
            .password = password,
            .authority = json_str(json_object_get(request, "caCertificate")),
            .query = json_str(json_object_get(request, "authzQueryTemplate")),
        };
        context->environment->ask_directory(context->arena, &context->environment->egress, &question, &answer);
    }
    note_answer(document, &answer);
    struct resource_draft draft = {
        .scope = job->project,
        .kind = STR("ldapVerification"),
        .id = resource.id,
        .document = json_text(context->arena, document),
    };
    return store_resource_replace(context->tx, &draft, &resource);
}

static const struct job_step_row steps[] = {
    { "check", "Connects to the directory, logs in, and searches.", check, 120 },
};
const struct job_kind ldap_verify_job = { "ldap.verify", "Checks a directory.", steps, LENGTH(steps) };
