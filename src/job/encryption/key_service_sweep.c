/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks key services of projects whether their keys can be used: what `valid` says was asked for. It decides nothing about members, whose hosts ask for themselves.
 */
#include "base/given_secret.h"
#include "base/json.h"
#include "base/net/kmip.h"
#include "job/kinds.h"
#include "store/encryption/key_service.h"
#include "store/event/event.h"

enum { ANSWER_MS = 5000 };

static enum kmip_outcome
ask(struct sweep_context *context, const struct key_service_row *row, const json_t *document, str *ret_why)
{
    const json_t *kmip = json_object_get(document, "kmip");
    struct arena *arena = context->arena;
    struct key key = crypto_derive(&context->environment->key, KEY_SERVICE_KEY_PURPOSE);
    const json_t *secrets = given_secret_open(arena, &key, given_secret_place(arena, KEY_SERVICE_KIND, row->resource),
                                              json_str(json_object_get(document, "sealed")));
    crypto_wipe(&key, sizeof(key));
    *ret_why = STR("The private key cannot be opened with this worker's key.");
    if (secrets == NULL)
        return KMIP_SILENT;
    struct kmip_service service = {
        .host = json_str(json_object_get(kmip, "hostname")),
        .port = (int)json_integer_value(json_object_get(kmip, "port")),
        .authority = json_str(json_object_get(kmip, "caCertificate")),
        .certificate = json_str(json_object_get(kmip, "clientCertificate")),
        .key = json_str(json_object_get(secrets, "clientKey")),
    };
    return kmip_try(arena, &context->environment->egress, &service, json_str(json_object_get(kmip, "keyIdentifier")),
                    ANSWER_MS, ret_why);
}

static error
note(struct sweep_context *context, const struct key_service_row *row, const json_t *document, bool is_valid, str why)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    const json_t *kmip = json_object_get(document, "kmip");
    bool written, was_valid = json_is_true(json_object_get(kmip, "valid")),
                  is_first = json_object_get(kmip, "checkedAt") == NULL;
    json_t *state =
        json_in(context->arena, json_pack("{s:b, s:I}", "valid", is_valid, "membersOnOtherKeys", row->others));
    if (!is_valid)
        json_object_set_new(state, "problem", json_stringn(why.data, why.len));
    TRY(tx_begin(context->store, context->arena, row->organization, &tx));
    TRY(store_key_service_checked(tx, row, json_text(context->arena, state), &written));
    if (!written)
        return OK;
    struct event_draft event = {
        .type = is_valid ? EVENT_KEY_USABLE : EVENT_KEY_NOT_USABLE,
        .organization = row->organization,
        .project = row->project,
        .after = state,
    };
    if (is_first || is_valid != was_valid)
        TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

static error
ask_due(struct sweep_context *context)
{
    struct key_service_row rows[KEY_SERVICES_AT_ONCE];
    size_t count;
    TRY(store_key_services_due(context->store, context->arena, rows, &count));
    for (size_t i = 0; i < count; i++) {
        const json_t *document = json_parse_own(context->arena, rows[i].document);
        str why;
        enum kmip_outcome outcome = ask(context, &rows[i], document, &why);
        TRY(note(context, &rows[i], document, outcome == KMIP_GIVEN, why));
    }
    return OK;
}

const struct sweep key_services_sweep = {
    .name = "key-services",
    .doc = "Asks key services of projects whether their keys can be used.",
    .every_s = 2,
    .run = ask_due,
};
