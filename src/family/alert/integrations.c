/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outside services that receive alerts, and the credentials with which a project's own tools read its measurements. A project has at most
 * one integration of each type; notifications of alerts that have no key of their own use it.
 */
#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "base/crypto/tool_password.h"
#include "base/json.h"
#include "base/net/egress.h"
#include "family/families.h"
#include "family/given_secret.h"
#include "job/alert/alert_template.h"
#include "job/alert/integration.h"
#include "monitor/stores.h"
#include "store/alert/alert.h"
#include "store/resource.h"

#define SERVICE_KEY "^[*A-Za-z0-9._~-]+$"
#define NO_PUSH                                                                                                  \
    "measurements are not sent to this service; a collector of yours can fetch them with the credentials of an " \
    "integration PROMETHEUS"
#define NO_TAGS    "tags are not among the labels of measurements"
#define NO_LATENCY "how long reads and writes of a table take is not measured"
#define NO_QUERIES "what statements cost is shown by the performance advisor, and is no measurement"
#define NO_STORE   "the operator has named no store of measurements"

static const char *const types[] = { "DATADOG",    "MICROSOFT_TEAMS", "NEW_RELIC",  "OPS_GENIE", "PAGER_DUTY",
                                     "PROMETHEUS", "SLACK",           "VICTOR_OPS", "WEBHOOK",   NULL };
static const char *const pager_regions[] = { "US", "EU", NULL };
static const char *const datadog_regions[] = { "US", "EU", "US3", "US5", "AP1", "US1_FED", NULL };
static const char *const discoveries[] = { "http", "file", NULL };
#define TAG_SWITCH "sendUserProvidedResourceTagsEnabled"
static const char *const push_states[] = { "WAITING", "WORKING", "FAILING", NULL };
static const struct {
    const char *name, *why;
} refused_switches[] = {
    { "sendCollectionLatencyMetrics", NO_LATENCY },
    { "sendQueryStatsMetrics", NO_QUERIES },
    { TAG_SWITCH, NO_TAGS },
};

/* ---- What each type has ---- */

#define SECRET_OF(field_name, sentence, flags, ...)                                                                  \
    TEXT(field_name, sentence " Answers show only its last characters; sent back in that form, it does not change.", \
         flags, .min = 8, __VA_ARGS__)
#define SECRET(field_name, sentence, ...) SECRET_OF(field_name, sentence, REQUIRED | ALWAYS, __VA_ARGS__)
#define REFUSED_SWITCH(field_name, why) \
    BOOL(field_name, "Only false is accepted: " why ".", ALWAYS, .fallback = "false", .example = "false")
#define REGION(regions) TEXT("region", "Region of the service.", ALWAYS, .one_of = regions, .fallback = "\"US\"")

static const struct field datadog_fields[] = {
    SECRET("apiKey", "Key of the service.", .max = 128, .pattern = SERVICE_KEY),
    REGION(datadog_regions),
    REFUSED_SWITCH("sendCollectionLatencyMetrics", NO_LATENCY),
    BOOL(
        INTEGRATION_PUSH_SWITCH,
        "Whether measurements of the project's servers, their disks and databases are sent, from now on. Those of tables "
        "are not.",
        ALWAYS, .fallback = "false", .example = "true"),
    REFUSED_SWITCH("sendQueryStatsMetrics", NO_QUERIES),
    BOOL(INTEGRATION_TAG_SWITCH,
         "Whether measurements carry the tags of their cluster. Only together with " INTEGRATION_PUSH_SWITCH ".",
         ALWAYS, .fallback = "false", .example = "false"),
    TEXT("state",
         "How sending of measurements goes: WAITING until the service has taken some, then WORKING; FAILING while it "
         "takes none. Not there when none are sent.",
         READ_ONLY, .one_of = push_states),
    TEXT("lastError", "Why measurements cannot be sent.", READ_ONLY),
    DATE("lastSent", "When the service last took measurements.", READ_ONLY),
    INTEGER("pointsSent", "How many points the service took.", READ_ONLY),
    INTEGER("pointsLeftOut",
            "How many were not sent because they were older than 50 minutes when they could have been.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct field teams_fields[] = {
    SECRET("microsoftTeamsWebhookUrl", "Address that the service gave for one channel.", .max = EGRESS_MAX_URL,
           .pattern = "^(https://|\\*\\*\\*\\*)[!-~]+$", .example = "\"https://chat.example.org/webhook/1f0c\""),
    END_OF_FIELDS,
};
static const struct field new_relic_fields[] = {
    TEXT("accountId", "Account at the service.", REQUIRED | WRITE_ONLY, .min = 1, .max = 128),
    TEXT("licenseKey", "Key of the service.", REQUIRED | WRITE_ONLY, .min = 1, .max = 128),
    TEXT("readToken", "Key that reads.", REQUIRED | WRITE_ONLY, .min = 1, .max = 128),
    TEXT("writeToken", "Key that writes.", REQUIRED | WRITE_ONLY, .min = 1, .max = 128),
    END_OF_FIELDS,
};
static const struct field ops_genie_fields[] = {
    SECRET("apiKey", "Key of the service.", .max = 128, .pattern = SERVICE_KEY),
    REGION(pager_regions),
    END_OF_FIELDS,
};
static const struct field pager_duty_fields[] = {
    SECRET("serviceKey", "Integration key of the service.", .max = 128, .pattern = SERVICE_KEY),
    REGION(pager_regions),
    END_OF_FIELDS,
};
static const struct field prometheus_fields[] = {
    BOOL("enabled", "Whether measurements can be read with these credentials.", REQUIRED | ALWAYS, .example = "true"),
    TEXT("username", "Name with which the project's own tools read its measurements (HTTP Basic).", REQUIRED | ALWAYS,
         .min = 1, .max = 64, .pattern = "^[A-Za-z0-9._@+-]+$", .example = "\"grafana\""),
    TEXT(
        "password",
        "Password that belongs to it. It must be sent with a new integration, and with another username; otherwise the one "
        "that is stored stays. Only a keyed hash of it is stored.",
        WRITE_ONLY, .min = 12, .max = 128, .pattern = "^[!-~]+$", .example = "\"a-long-password-of-yours\""),
    TEXT("serviceDiscovery",
         "How targets are found: `http` for http_sd_configs, `file` for a file that somebody fetches. The document is "
         "the same.",
         REQUIRED | ALWAYS, .one_of = discoveries, .example = "\"http\""),
    REFUSED_SWITCH(TAG_SWITCH, NO_TAGS),
    END_OF_FIELDS,
};
static const struct field slack_fields[] = {
    SECRET("apiToken", "Token of the service.", .max = 255, .pattern = SERVICE_KEY),
    TEXT("channelName", "Channel for the messages, unless a notification names another.", REQUIRED | ALWAYS, .min = 1,
         .max = 80, .example = "\"#alerts\""),
    END_OF_FIELDS,
};
static const struct field victor_ops_fields[] = {
    SECRET("apiKey", "Key of the service.", .max = 128, .pattern = SERVICE_KEY),
    TEXT("routingKey", "Routing key of the service, unless a notification names another.", 0, .max = 128,
         .pattern = "^[A-Za-z0-9._~-]*$"),
    END_OF_FIELDS,
};
static const struct field webhook_fields[] = {
    TEXT("url",
         "Where alerts are sent, with https. Its name must resolve to public addresses only, unless the operator "
         "allows others.",
         REQUIRED | ALWAYS, .min = 9, .max = EGRESS_MAX_URL, .pattern = "^https://[!-~]+$",
         .example = "\"https://hooks.example.org/alerts\""),
    SECRET_OF("secret", "Key of the signatures; without it nothing is signed.", 0, .max = 512),
    TEXT(
        "bodyTemplate",
        "Body of the requests, JSON in which `{{name}}` stands for a fact: about, alertId, clusterName, created, eventType, metric, "
        "notificationId, process, projectId, projectName, resolved, severity, status, subject, text, unit, value. Facts stand between quotes; "
        "value, a number, may stand without. Without it the body has Reeve's own form.",
        0, .min = 1, .max = ALERT_TEMPLATE_MAX, .example = "\"{\\\"title\\\": \\\"{{subject}}\\\"}\""),
    END_OF_FIELDS,
};
static const struct schema
    datadog_schema = { "Datadog", "Events at that service, and measurements.", datadog_fields },
    teams_schema = { "MicrosoftTeams", "Cards in a channel.", teams_fields },
    new_relic_schema = { "NewRelic", "Refused: " NO_PUSH ".", new_relic_fields },
    ops_genie_schema = { "OpsGenie", "Alerts at that service.", ops_genie_fields },
    pager_duty_schema = { "PagerDuty", "Incidents at that service.", pager_duty_fields },
    prometheus_schema = { "Prometheus",
                          "Credentials with which the project's own Prometheus and Grafana read its measurements.",
                          prometheus_fields },
    slack_schema = { "Slack", "Messages in a channel.", slack_fields },
    victor_ops_schema = { "VictorOps", "Incidents at that service.", victor_ops_fields },
    webhook_schema = { "Webhook", "HTTPS requests in Reeve's own form.", webhook_fields };
static const struct field_variant type_variants[] = {
    { "DATADOG", &datadog_schema },       { "MICROSOFT_TEAMS", &teams_schema },
    { "NEW_RELIC", &new_relic_schema },   { "OPS_GENIE", &ops_genie_schema },
    { "PAGER_DUTY", &pager_duty_schema }, { "PROMETHEUS", &prometheus_schema },
    { "SLACK", &slack_schema },           { "VICTOR_OPS", &victor_ops_schema },
    { "WEBHOOK", &webhook_schema },       END_OF_VARIANTS,
};
static const struct field integration_fields[] = {
    TEXT("type", "Which service it is, the same as in the path. NEW_RELIC is refused: " NO_PUSH ".", REQUIRED | ALWAYS,
         .one_of = types, .variants = type_variants),
    ID("id", "Identifier of the integration.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema integration_schema = { "Integration", "Settings of a project for an outside service.",
                                                  integration_fields };

static const struct kind integration;
static const struct read integration_get, integration_list;
static handler integration_create, integration_replace;

// clang-format off
static const struct field type_path[] = { TEXT("integrationType", "Which service it is.", 0, .one_of = types), END_OF_FIELDS };

static const struct endpoint integrations_endpoints[] = {
    { GET, "/groups/{groupId}/integrations", S66, ANY_OF(PROJECT_READ_ONLY), "listGroupIntegrations",
      "Return all integrations of one project",
      "Lists the outside services that the project is connected to. Only the last characters of secrets are shown.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/integrations/{integrationType}",
      .read = &integration_list, .kind = &integration, .response = &integration_schema },
    { DELETE, "/groups/{groupId}/integrations/{integrationType}", S66, ANY_OF(PROJECT_OWNER),
      "deleteGroupIntegration",
      "Delete one integration",
      "Ends the connection. Refused while a notification of an alert configuration uses it.",
      .shape = SHAPE_NOTHING, .run = crud_delete, .kind = &integration, .path_fields = type_path },
    { GET, "/groups/{groupId}/integrations/{integrationType}", S66, ANY_OF(PROJECT_READ_ONLY),
      "getGroupIntegration",
      "Return one integration",
      "Returns the settings for one type of service. Only the last characters of secrets are shown.",
      .flags = NO_ETAG, .read = &integration_get, .kind = &integration, .path_fields = type_path, .response = &integration_schema },
    { POST, "/groups/{groupId}/integrations/{integrationType}", S66, ANY_OF(PROJECT_OWNER),
      "createGroupIntegration",
      "Create one integration",
      "Connects the project to a service of this type. Notifications of alerts without their own key use it. Answers with all "
      "integrations of the project.",
      .shape = SHAPE_LIST, .success = 200, .item = "/groups/{groupId}/integrations/{integrationType}",
      .run = integration_create, .kind = &integration, .path_fields = type_path, .request = &integration_schema,
      .response = &integration_schema,
      .example = "{\"type\": \"WEBHOOK\", \"url\": \"https://hooks.example.org/alerts\", \"secret\": \"a long secret of yours\"}" },
    { PUT, "/groups/{groupId}/integrations/{integrationType}", S66, ANY_OF(PROJECT_OWNER), "updateGroupIntegration",
      "Replace one integration",
      "Replaces the settings for this type of service, including secrets. Notifications use them from the next alert on. "
      "Answers with all integrations of the project.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/integrations/{integrationType}",
      .run = integration_replace, .kind = &integration, .path_fields = type_path, .request = &integration_schema,
      .response = &integration_schema,
      .example = "{\"type\": \"WEBHOOK\", \"url\": \"https://hooks.example.org/new\"}" },
};
// clang-format on

FAMILY(integrations_family, "integrations", "Third-party integrations",
       "Outside services that receive a project's alerts and measurements, or read its measurements.",
       integrations_endpoints);

/* ---- Checking ---- */

/* What a notification uses stays: it would fail for a day and then be given up. */
static error
check_unused(struct request *req, str name)
{
    const struct integration_type *type = integration_type_find(name);
    bool found;
    id config;
    if (type == NULL)
        return OK;
    TRY(store_alert_config_borrows(req->tx, req->project, name, str_from(type->fields[0].of_notification), &found,
                                   &config));
    if (!found)
        return OK;
    return fail(req->arena, INTEGRATION_IN_USE, V(name), V(id_text(req->arena, config)));
}

static error
check_offered(struct request *req, const json_t *after)
{
    str type = json_str(json_object_get(after, "type"));
    bool is_for_tools = str_is(type, INTEGRATION_FOR_TOOLS);
    if (!is_for_tools && integration_type_find(type) == NULL)
        return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "type %.*s", STR_ARG(type))), V(NO_PUSH));
    bool is_pushed = json_is_true(json_object_get(after, INTEGRATION_PUSH_SWITCH)),
         has_store = monitor_stores_count(req->api->monitor) > 0;
    if (is_for_tools && !has_store)
        return fail(req->arena, NOT_OFFERED, V("type " INTEGRATION_FOR_TOOLS), V(NO_STORE));
    if (is_pushed && !has_store)
        return fail(req->arena, NOT_OFFERED, V(INTEGRATION_PUSH_SWITCH), V(NO_STORE));
    for (size_t i = 0; i < LENGTH(refused_switches); i++) {
        if (json_is_true(json_object_get(after, refused_switches[i].name)))
            return fail(req->arena, NOT_OFFERED, V(refused_switches[i].name), V(refused_switches[i].why));
    }
    if (json_is_true(json_object_get(after, INTEGRATION_TAG_SWITCH)) && !is_pushed)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(INTEGRATION_TAG_SWITCH),
                    V("it needs " INTEGRATION_PUSH_SWITCH));
    str template = json_text_at(after, "bodyTemplate"), wrong = alert_template_problem(req->arena, template);
    if (template.len > 0 && wrong.len > 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("bodyTemplate"), V(wrong));
    if (json_object_get(after, "url") != NULL)
        TRY(given_secret_check_url(req, STR("url"), json_str(json_object_get(after, "url"))));
    return OK;
}

/* Of a password only a hash is kept, over the username as well: who changes the one has to say both. */
static error
take_password(struct request *req, const struct change *change, json_t **ret_hidden)
{
    const json_t *sent = json_object_get(change->after, "password");
    str username = json_text_at(change->after, "username");
    if (sent == NULL) {
        if (change->before == NULL || !str_eq(username, json_text_at(change->before, "username")))
            return fail(req->arena, MISSING_ATTRIBUTE, V("password"));
        *ret_hidden = json_object_get(change->before, INTEGRATION_HIDDEN_FIELD);
        return OK;
    }
    struct key key = auth_key_for(req->api->auth, TOOL_KEY_PURPOSE);
    str hash = tool_password_hash(req->arena, &key, req->project, username, json_str(sent));
    crypto_wipe(&key, sizeof(key));
    json_object_del(change->after, "password");
    *ret_hidden = json_in(req->arena, json_pack("{s:s}", INTEGRATION_TOOL_HASH, hash.data));
    return *ret_hidden == NULL ? fail(req->arena, OVERLOADED) : OK;
}

static error
take_secrets(struct request *req, const struct change *change, const struct key *key, json_t **ret_hidden)
{
    json_t *own = json_in(req->arena, json_object());
    const json_t *old = NULL;
    if (change->before != NULL)
        old = integration_secrets_open(req->arena, key, change->id, change->before);
    for (size_t i = 0; integration_secret_fields[i] != NULL; i++) {
        struct given_secret_field field = {
            .name = integration_secret_fields[i],
            .place = str_from(integration_secret_fields[i]),
            .is_url = str_is(str_from(integration_secret_fields[i]), "microsoftTeamsWebhookUrl"),
        };
        TRY(given_secret_take(req, &field, change->after, old, own));
    }
    *ret_hidden = integration_hidden_new(req->arena, key, change->id, own);
    return *ret_hidden == NULL ? fail(req->arena, OVERLOADED) : OK;
}

static error
check_integration(struct request *req, struct change *change)
{
    json_t *hidden = NULL;
    if (change->after == NULL)
        return check_unused(req, change->name);
    TRY(check_offered(req, change->after));
    struct key key = auth_key_for(req->api->auth, INTEGRATION_KEY_PURPOSE);
    error problem = str_is(change->name, INTEGRATION_FOR_TOOLS) ? take_password(req, change, &hidden)
                                                                : take_secrets(req, change, &key, &hidden);
    crypto_wipe(&key, sizeof(key));
    TRY(problem);
    str own = id_text(req->arena, change->id);
    json_object_set_new(change->after, "id", json_stringn(own.data, own.len));
    json_object_set(change->after, INTEGRATION_HIDDEN_FIELD, hidden);
    return OK;
}

static const struct kind integration = {
    .name = INTEGRATION_KIND,
    .parameter = "integrationType",
    .field = "type",
    .hidden = INTEGRATION_HIDDEN_FIELD,
    .created = EVENT_INTEGRATION_CREATED,
    .changed = EVENT_INTEGRATION_UPDATED,
    .deleted = EVENT_INTEGRATION_DELETED,
    .check = check_integration,
};

/* ---- Reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_NAME, request_path_value(req, "integrationType"));
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    list_bind(req, params);
    return OK;
}

static const struct read integration_get = { SQL_INTEGRATION_GET, bind_get, answer_row };
static const struct read integration_list = { SQL_INTEGRATION_LIST, bind_list, list_answer };

/* ---- Changing ---- */

static error
answer_all(struct request *req)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(integration_list.bind(req, &params));
    TRY(tx_query(req->tx, integration_list.statement, &params, &rows, NULL));
    return integration_list.answer(req, &rows);
}

static error
store_sent(struct request *req, struct change *change)
{
    str document;
    int64_t revision;
    change->after = json_in(req->arena, json_deep_copy(req->body));
    if (change->after == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(crud_store(req, change, &document, &revision));
    return answer_all(req);
}

static error
check_type(struct request *req)
{
    if (str_eq(json_str(json_object_get(req->body, "type")), request_path_value(req, "integrationType")))
        return OK;
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("type"), V("it must be the type that the path names"));
}

static error
integration_create(struct request *req)
{
    struct change change = { .id = id_new(store_cell(req->api->store)),
                             .name = request_path_value(req, "integrationType") };
    TRY(check_type(req));
    return store_sent(req, &change);
}

static error
integration_replace(struct request *req)
{
    struct change change;
    TRY(check_type(req));
    TRY(crud_lock(req, &change));
    return store_sent(req, &change);
}
