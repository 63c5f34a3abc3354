/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An alert configuration is a condition and who is told; an alert is one occurrence of it. `reeved worker` raises
 * alerts and sends notifications; here are the operations for people.
 */
#include "family/alert/alerts.h"

#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "family/families.h"
#include "job/alert/alert_config.h"
#include "job/alert/alert_rule.h"
#include "store/alert/alert.h"

static const char *const listed_statuses[] = { "OPEN", "TRACKING", "CLOSED", NULL };
static const struct field list_query[] = {
    TEXT("status", "Only alerts of this status.", 0, .one_of = listed_statuses),
    END_OF_FIELDS,
};

static const struct read get, list, list_of_config, configs;
static handler matcher_field_list, acknowledge;

// clang-format off
static const struct endpoint alerts_endpoints[] = {
    { GET, "/groups/{groupId}/alertConfigs", S05, ANY_OF(PROJECT_READ_ONLY), "listGroupAlertConfigs",
      "Return all alert configurations in one project",
      "Lists the conditions for alerts in the project and who is told. Ordered by creation.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/alertConfigs/{alertConfigId}", .read = &crud_list, .kind = &alert_config,
      .response = &alert_config_schema },
    { POST, "/groups/{groupId}/alertConfigs", S05, ANY_OF(PROJECT_ALERTS_MANAGER), "createGroupAlertConfig",
      "Create one alert configuration in one project",
      "Creates a condition and says who is told when it holds. It is checked from now on; earlier events raise no alert.",
      .success = 200, .item = "/groups/{groupId}/alertConfigs/{alertConfigId}", .run = crud_create,
      .kind = &alert_config, .request = &alert_config_schema, .response = &alert_config_schema,
      .example = "{\"eventTypeName\": \"CLUSTER_PAUSED\", \"enabled\": true, \"notifications\": [{\"typeName\": \"EMAIL\", "
                 "\"emailAddress\": \"oncall@example.org\", \"intervalMin\": 60}]}" },
    { DELETE, "/groups/{groupId}/alertConfigs/{alertConfigId}", S05, ANY_OF(PROJECT_ALERTS_MANAGER),
      "deleteGroupAlertConfig",
      "Delete one alert configuration",
      "Deletes the condition. Its open alerts are closed and stay in the history.",
      .shape = SHAPE_NOTHING, .run = crud_delete, .kind = &alert_config },
    { GET, "/groups/{groupId}/alertConfigs/{alertConfigId}", S05, ANY_OF(PROJECT_READ_ONLY), "getGroupAlertConfig",
      "Return one alert configuration",
      "Returns one condition with its threshold, its matchers and who is told. Only the last characters of secrets are shown.",
      .read = &crud_get, .kind = &alert_config, .response = &alert_config_schema },
    { PATCH, "/groups/{groupId}/alertConfigs/{alertConfigId}", S05, ANY_OF(PROJECT_ALERTS_MANAGER),
      "toggleGroupAlertConfig",
      "Switch one alert configuration on or off",
      "Turns the condition on or off and changes nothing else. While it is off it raises no alerts; open ones are closed.",
      .run = alert_config_toggle, .kind = &alert_config, .request = &alert_toggle_schema,
      .response = &alert_config_schema, .example = "{\"enabled\": false}" },
    { PUT, "/groups/{groupId}/alertConfigs/{alertConfigId}", S05, ANY_OF(PROJECT_ALERTS_MANAGER),
      "updateGroupAlertConfig",
      "Replace one alert configuration",
      "Replaces the whole configuration: what is not sent falls back to its default. Read it first and send it "
      "back changed.",
      .run = alert_config_replace, .kind = &alert_config, .request = &alert_config_schema,
      .response = &alert_config_schema, .example = "{\"eventTypeName\": \"CLUSTER_PAUSED\", \"enabled\": true, \"notifications\": [{\"typeName\": \"EMAIL\", "
                 "\"emailAddress\": \"oncall@example.org\", \"intervalMin\": 60}]}" },

    { GET, "/alertConfigs/matchers/fieldNames", S06, ANY_CALLER, "listAlertConfigMatcherFieldNames",
      "Return all fields that alert matchers can use",
      "Lists the names that matchers can use to limit a configuration, for example to clusters by name or hosts by role.",
      .shape = SHAPE_LIST, .run = matcher_field_list, .response = &alert_matcher_field_schema },

    { GET, "/groups/{groupId}/alertConfigs/{alertConfigId}/alerts", S07, ANY_OF(PROJECT_READ_ONLY),
      "getGroupAlertConfigAlerts",
      "Return all open alerts of one alert configuration",
      "Lists the open alerts that one condition has raised.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/alerts/{alertId}", .read = &list_of_config,
      .response = &alert_schema },
    { GET, "/groups/{groupId}/alerts", S07, ANY_OF(PROJECT_READ_ONLY), "listGroupAlerts",
      "Return all alerts in one project",
      "Lists the alerts that were raised in the project, newest first. Filter by status to see only those that "
      "are open.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/alerts/{alertId}", .read = &list,
      .response = &alert_schema, .query = list_query },
    { GET, "/groups/{groupId}/alerts/{alertId}", S07, ANY_OF(PROJECT_READ_ONLY), "getGroupAlert",
      "Return one alert",
      "Returns one alert with the value that raised it, its status and when somebody was last told.",
      .read = &get, .response = &alert_schema },
    { PATCH, "/groups/{groupId}/alerts/{alertId}", S07, ANY_OF(PROJECT_ALERTS_MANAGER), "acknowledgeGroupAlert",
      "Acknowledge one alert",
      "Silences the alert until a date, with a comment, or ends that. The alert stays open while its condition holds.",
      .since = "2024-05-30", .run = acknowledge, .request = &alert_acknowledgement_schema,
      .response = &alert_schema,
      .example = "{\"acknowledgedUntil\": \"2099-01-01T00:00:00Z\", \"acknowledgementComment\": \"We know.\"}" },
    { GET, "/groups/{groupId}/alerts/{alertId}/alertConfigs", S07, ANY_OF(PROJECT_READ_ONLY),
      "getGroupAlertAlertConfigs",
      "Return all alert configurations that raised one alert",
      "Lists the conditions that led to one alert.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/alertConfigs/{alertConfigId}", .read = &configs,
      .response = &alert_config_schema },
};
// clang-format on

FAMILY(alerts_family, "alerts", "Alerts",
       "Conditions for alerts in a project, who is told, and the alerts that were raised.", alerts_endpoints);

/* ---- Reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    id alert;
    TRY(request_path_id(req, "alertId", &alert));
    params_id(params, P_PROJECT, req->project);
    params_id(params, P_ALERT, alert);
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    str status = request_query(req, "status");
    params_id(params, P_PROJECT, req->project);
    list_bind(req, params);
    if (status.len == 0)
        params_null(params, P_STATUS);
    else
        params_text(params, P_STATUS, status);
    return OK;
}

static error
bind_list_of(struct request *req, struct params *params, const char *parameter, enum param name)
{
    id of;
    TRY(request_path_id(req, parameter, &of));
    params_id(params, P_PROJECT, req->project);
    list_bind(req, params);
    params_id(params, name, of);
    return OK;
}

static error
bind_list_of_config(struct request *req, struct params *params)
{
    return bind_list_of(req, params, "alertConfigId", P_CONFIG);
}

static error
bind_configs(struct request *req, struct params *params)
{
    TRY(bind_list_of(req, params, "alertId", P_ALERT));
    params_text(params, P_HIDDEN, STR(ALERT_HIDDEN_FIELD));
    return OK;
}

static const struct read get = { SQL_ALERT_GET, bind_get, answer_row };
static const struct read list = { SQL_ALERT_LIST, bind_list, list_answer };
static const struct read list_of_config = { SQL_ALERT_LIST_OF_CONFIG, bind_list_of_config, list_answer_below };
static const struct read configs = { SQL_ALERT_CONFIG_LIST_OF_ALERT, bind_configs, list_answer_below };

static error
matcher_field_list(struct request *req)
{
    int64_t count = 0, first = (req->page.number - 1) * req->page.size, end = first + req->page.size;
    while (alert_matcher_fields[count] != NULL)
        count++;
    answer_list(req, count, end < count);
    for (int64_t i = first; i < count && i < end; i++)
        answer_item(req, str_format(req->arena, "{\"fieldName\":\"%s\"}", alert_matcher_fields[i]), STR_EMPTY);
    return OK;
}

/* ---- Acknowledging ---- */

struct acknowledgement {
    const int64_t *until_ms; /* NULL: none */
    str comment, by;
};

/* What is sent, over what was there. */
static error
read_acknowledgement(struct request *req, const json_t *before, struct acknowledgement *ret_acknowledgement)
{
    const json_t *until = json_object_get(req->body, "acknowledgedUntil");
    const json_t *comment = json_object_get(req->body, "acknowledgementComment");
    int64_t *until_ms = ARENA_NEW(req->arena, int64_t);
    *ret_acknowledgement = (struct acknowledgement){ .comment = STR_EMPTY, .by = STR_EMPTY };
    if (json_is_true(json_object_get(req->body, "unacknowledgeAlert")))
        return OK;
    if (until == NULL)
        until = json_object_get(before, "acknowledgedUntil");
    if (until == NULL)
        return fail(req->arena, MISSING_ATTRIBUTE, V("acknowledgedUntil"));
    if (until_ms == NULL || !date_parse(json_str(until), until_ms))
        return fail(req->arena, OVERLOADED);
    if (*until_ms <= clock_now_ms())
        return OK;
    if (comment == NULL)
        comment = json_object_get(before, "acknowledgementComment");
    *ret_acknowledgement = (struct acknowledgement){
        .until_ms = until_ms,
        .comment = comment == NULL ? STR_EMPTY : json_str(comment),
        .by = req->caller->name,
    };
    return OK;
}

static error
acknowledge(struct request *req)
{
    id alert;
    str before, after;
    int64_t revision;
    bool is_closed;
    struct acknowledgement wanted;
    TRY(request_path_id(req, "alertId", &alert));
    TRY(store_alert_lock(req->tx, req->project, alert, &before, &revision, &is_closed));
    if (before.len == 0)
        return request_not_found(req);
    TRY(request_check_match(req, revision));
    if (json_object_size(req->body) == 0) {
        answer_entity(req, before, revision);
        return OK;
    }
    if (is_closed)
        return fail(req->arena, ALERT_CLOSED, V(id_text(req->arena, alert)));
    const json_t *shown = json_parse_own(req->arena, before);
    TRY(read_acknowledgement(req, shown, &wanted));
    TRY(store_alert_acknowledge(req->tx, req->project, alert, wanted.until_ms, wanted.comment, wanted.by));
    TRY(store_alert_lock(req->tx, req->project, alert, &after, &revision, &is_closed));
    const json_t *cluster = json_object_get(shown, "clusterName");
    TRY(request_event_of_cluster(req, EVENT_ALERT_ACKNOWLEDGED, cluster == NULL ? STR_EMPTY : json_str(cluster), shown,
                                 json_parse_own(req->arena, after)));
    answer_entity(req, after, revision);
    return OK;
}
