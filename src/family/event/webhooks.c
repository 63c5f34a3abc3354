/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An extension: an organization's events, delivered by HTTPS. `reeved worker` delivers them; here are only the
 * operations for people.
 */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/crypto/webhook_signature.h"
#include "base/json.h"
#include "base/net/egress.h"
#include "family/families.h"
#include "store/event/webhook.h"

static const char *const states[] = { "ACTIVE", "FAILING", "PAUSED", "DISABLED", NULL };

static const struct field webhook_fields[] = {
    ID("id", "Identifier of the webhook.", READ_ONLY | ALWAYS),
    TEXT("url",
         "Where events are sent, with https. Its name must resolve to public addresses only, unless the operator "
         "allows others.",
         REQUIRED | ALWAYS, .min = 9, .max = EGRESS_MAX_URL, .example = "\"https://hooks.example.org/reeve\""),
    TEXT("description", "What it is for.", ALWAYS, .max = 250, .fallback = "\"\""),
    LIST("eventTypes", "Types of events that are sent; an empty list for all.", ALWAYS, .item = TYPE_TEXT, .max = 200,
         .one_of = event_type_names, .fallback = "[]"),
    BOOL("enabled", "Whether events are sent. Any change starts a paused webhook again.", ALWAYS, .fallback = "true"),
    TEXT("secret", "Key of the signatures. It is only in the answer that creates the webhook.", READ_ONLY),
    DATE("createdAt", "When it was created.", READ_ONLY | ALWAYS),
    TEXT("state", "Whether deliveries work, fail, are paused after days of failures, or are switched off.",
         READ_ONLY | ALWAYS, .one_of = states),
    INTEGER("deliveredSequence", "Place of the last event that was delivered or skipped.", READ_ONLY | ALWAYS),
    INTEGER("pendingEvents", "Number of events after that place.", READ_ONLY | ALWAYS),
    DATE("lastDeliveryAt", "When something was last delivered.", READ_ONLY),
    DATE("lastAttemptAt", "When a delivery was last tried.", READ_ONLY),
    INTEGER("lastStatus", "Status of the last answer.", READ_ONLY),
    TEXT("lastError", "Why the last try failed.", READ_ONLY),
    INTEGER("failures", "Number of tries that failed since the last delivery.", READ_ONLY | ALWAYS),
    DATE("failingSince", "Since when all tries fail.", READ_ONLY),
    DATE("pausedAt", "When it was paused.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema webhook_schema = { "Webhook", "Where an organization's events are sent.", webhook_fields };

static const struct read webhook_get, webhook_list;
static handler webhook_create, webhook_update, webhook_delete;

// clang-format off
static const struct endpoint webhooks_endpoints[] = {
    { GET, "/orgs/{orgId}/webhooks", S25, ANY_OF(ORG_OWNER), "listOrgWebhooks",
      "Return all webhooks of one organization",
      "Lists the webhooks and the state of their deliveries. An extension of this service.",
      .shape = SHAPE_LIST, .flags = EXTENSION, .item = "/orgs/{orgId}/webhooks/{webhookId}", .read = &webhook_list,
      .response = &webhook_schema },
    { POST, "/orgs/{orgId}/webhooks", S25, ANY_OF(ORG_OWNER), "createOrgWebhook",
      "Create one webhook of one organization",
      "Sends the organization's events to an address, from its creation on. The secret that signs the deliveries is only in this "
      "answer. An organization has at most 10 webhooks. An extension of this service.",
      .flags = EXTENSION, .item = "/orgs/{orgId}/webhooks/{webhookId}", .run = webhook_create,
      .request = &webhook_schema, .response = &webhook_schema,
      .example = "{\"url\": \"https://hooks.example.org/reeve\", \"description\": \"Audit\"}" },
    { DELETE, "/orgs/{orgId}/webhooks/{webhookId}", S25, ANY_OF(ORG_OWNER), "deleteOrgWebhook",
      "Delete one webhook",
      "Nothing more is sent, except what is already being sent. An extension of this service.",
      .shape = SHAPE_NOTHING, .flags = EXTENSION, .run = webhook_delete },
    { GET, "/orgs/{orgId}/webhooks/{webhookId}", S25, ANY_OF(ORG_OWNER), "getOrgWebhook",
      "Return one webhook",
      "Shows the webhook and the state of its deliveries. An extension of this service.",
      .flags = EXTENSION, .read = &webhook_get, .response = &webhook_schema },
    { PATCH, "/orgs/{orgId}/webhooks/{webhookId}", S25, ANY_OF(ORG_OWNER), "updateOrgWebhook",
      "Change one webhook",
      "Changes the address, the description, the types or whether it is enabled. Pending events are tried again at once, also by "
      "a paused webhook. An extension of this service.",
      .flags = EXTENSION, .run = webhook_update, .request = &webhook_schema, .response = &webhook_schema,
      .example = "{\"enabled\": true}" },
};
// clang-format on

FAMILY(webhooks_family, "webhooks", "Webhooks",
       "Events of an organization, delivered by HTTPS as they happen. An extension of this service.",
       webhooks_endpoints);

/* ---- Reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    id webhook;
    TRY(request_path_id(req, "webhookId", &webhook));
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_WEBHOOK, webhook);
    return OK;
}

static const struct read webhook_get = { SQL_WEBHOOK_GET, bind_get, answer_row };
static const struct read webhook_list = { SQL_WEBHOOK_LIST, list_bind_organization, list_answer };

/* ---- Changing ---- */

/* Types come from the table of events, so none needs quoting. */
static str
type_array(struct request *req, const json_t *types)
{
    struct buf out = buf_in(req->arena, 64 * 1024);
    if (json_array_size(types) == 0)
        return STR_EMPTY;
    for (size_t i = 0; i < json_array_size(types); i++) {
        buf_add_char(&out, i == 0 ? '{' : ',');
        buf_add(&out, json_str(json_array_get(types, i)));
    }
    buf_add_char(&out, '}');
    return buf_str(&out);
}

/* What is sent, over what was there. */
static error
read_draft(struct request *req, const json_t *before, struct webhook_draft *ret_draft)
{
    const char *why;
    struct egress_url url;
#define EITHER(name) \
    (json_object_get(req->body, name) != NULL ? json_object_get(req->body, name) : json_object_get(before, name))
    struct webhook_draft draft = {
        .url = json_str(EITHER("url")),
        .description = json_str(EITHER("description")),
        .event_types = type_array(req, EITHER("eventTypes")),
        .enabled = json_is_true(EITHER("enabled")),
    };
#undef EITHER
    if (!egress_parse(req->arena, draft.url, &url, &why))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("url"), V(why));
    /* A name is looked up when something is delivered, each time. What was there before can still be disabled. */
    if (json_object_get(req->body, "url") != NULL && !egress_host_may_be_allowed(&req->api->egress, &url))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("url"),
                    V("its address is not public, and the operator does not allow it (egress_allow)"));
    *ret_draft = draft;
    return OK;
}

/* Events do not repeat what changes with every delivery. */
static json_t *
for_event(struct request *req, str document)
{
    static const char *const kept[] = { "id", "url", "description", "eventTypes", "enabled" };
    const json_t *whole = json_parse_own(req->arena, document);
    json_t *part = json_in(req->arena, json_object());
    for (size_t i = 0; part != NULL && i < LENGTH(kept); i++)
        json_object_set(part, kept[i], json_object_get(whole, kept[i]));
    return part;
}

static error
webhook_create(struct request *req)
{
    struct webhook_draft draft;
    int64_t count, revision;
    str sealed, document;
    TRY(read_draft(req, NULL, &draft));
    TRY(store_webhook_count(req->tx, req->organization, &count));
    if (count >= WEBHOOK_MAX)
        return fail(req->arena, TOO_MANY_WEBHOOKS, V(count));
    id webhook = id_new(store_cell(req->api->store));
    struct key key = auth_key_for(req->api->auth, WEBHOOK_KEY_PURPOSE);
    str secret = secret_new(req->arena, "wh");
    if (!webhook_seal_secret(req->arena, &key, webhook, secret, &sealed))
        return fail(req->arena, OVERLOADED);
    TRY(store_webhook_add(req->tx, req->organization, webhook, &draft, sealed));
    TRY(store_webhook_lock(req->tx, req->organization, webhook, &document, &revision));
    TRY(request_event(req, EVENT_WEBHOOK_CREATED, NULL, for_event(req, document)));
    json_t *shown = json_parse_own(req->arena, document);
    json_object_set_new(shown, "secret", json_stringn(secret.data, secret.len));
    answer_created(req, json_text(req->arena, shown), id_text(req->arena, webhook), revision);
    return OK;
}

static error
lock_named(struct request *req, id *ret_webhook, str *ret_document)
{
    int64_t revision;
    TRY(request_path_id(req, "webhookId", ret_webhook));
    TRY(store_webhook_lock(req->tx, req->organization, *ret_webhook, ret_document, &revision));
    if (ret_document->len == 0)
        return request_not_found(req);
    return request_check_match(req, revision);
}

static error
webhook_update(struct request *req)
{
    id webhook;
    str before, after;
    int64_t revision;
    struct webhook_draft draft;
    TRY(lock_named(req, &webhook, &before));
    TRY(read_draft(req, json_parse_own(req->arena, before), &draft));
    TRY(store_webhook_update(req->tx, req->organization, webhook, &draft));
    TRY(store_webhook_lock(req->tx, req->organization, webhook, &after, &revision));
    TRY(request_event(req, EVENT_WEBHOOK_UPDATED, for_event(req, before), for_event(req, after)));
    answer_entity(req, after, revision);
    return OK;
}

static error
webhook_delete(struct request *req)
{
    id webhook;
    str before;
    TRY(lock_named(req, &webhook, &before));
    TRY(store_webhook_delete(req->tx, req->organization, webhook));
    TRY(request_event(req, EVENT_WEBHOOK_DELETED, for_event(req, before), NULL));
    answer_nothing(req);
    return OK;
}
