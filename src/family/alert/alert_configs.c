/* SPDX-License-Identifier: Apache-2.0 */
/* Alert configurations are resources; this file checks and completes them before they are stored. */
#include "api/api.h"
#include "api/crud.h"
#include "api/request_event.h"
#include "base/date.h"
#include "base/json.h"
#include "family/alert/alerts.h"
#include "family/given_secret.h"
#include "family/project_limits.h"
#include "job/alert/alert_config.h"
#include "job/alert/alert_metric.h"
#include "job/alert/alert_rule.h"
#include "job/alert/alert_template.h"
#include "job/alert/integration.h"
#include "monitor/stores.h"
#include "store/alert/alert.h"
#include "store/resource.h"

/* ---- What is asked for ---- */

/* Of an event only the cluster is known. */
static error
check_matchers(struct request *req, const json_t *after, bool is_measured)
{
    size_t i;
    const json_t *matcher;
    json_array_foreach(json_object_get(after, "matchers"), i, matcher)
    {
        if (str_is(json_str(json_object_get(matcher, "operator")), "REGEX") &&
            !alert_expression_is_fine(json_str(json_object_get(matcher, "value"))))
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "matchers[%zu].value", i)),
                        V("it is not a regular expression"));
        if (!is_measured &&
            !str_is(json_str(json_object_get(matcher, "fieldName")), alert_matcher_fields[MATCH_CLUSTER]))
            return fail(
                req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "matchers[%zu].fieldName", i)),
                V("events can be limited by CLUSTER_NAME only; the other fields are for eventTypeName " ALERT_METRIC_TYPE));
    }
    return OK;
}

static error
check_measured(struct request *req, json_t *threshold)
{
    const struct alert_metric *metric = alert_metric_find(json_str(json_object_get(threshold, "metricName")));
    double ignored;
    if (threshold == NULL)
        return fail(req->arena, MISSING_ATTRIBUTE, V("metricThreshold"));
    if (monitor_stores_count(req->api->monitor) == 0)
        return fail(req->arena, NOT_OFFERED, V("eventTypeName " ALERT_METRIC_TYPE),
                    V("this deployment keeps no measurements"));
    if (json_object_get(threshold, "units") == NULL)
        json_object_set_new(threshold, "units", json_string(alert_unit_fallback(metric->dimension)));
    if (!alert_unit_find(metric->dimension, json_str(json_object_get(threshold, "units")), &ignored))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("metricThreshold.units"),
                    V(str_format(req->arena, "%s is written in units such as %s", metric->name,
                                 alert_unit_fallback(metric->dimension))));
    return OK;
}

static error
check_condition(struct request *req, json_t *after)
{
    bool is_measured = str_is(json_str(json_object_get(after, "eventTypeName")), ALERT_METRIC_TYPE);
    TRY(check_matchers(req, after, is_measured));
    if (is_measured && json_object_get(after, "threshold") != NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("threshold"),
                    V("leave it out: eventTypeName " ALERT_METRIC_TYPE " takes metricThreshold instead"));
    if (is_measured)
        return check_measured(req, json_object_get(after, "metricThreshold"));
    if (json_object_get(after, "metricThreshold") != NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("metricThreshold"),
                    V("only eventTypeName " ALERT_METRIC_TYPE " takes it"));
    return OK;
}

/* ---- Notifications: every one has an id; secrets are taken out, and masks stand in their place ---- */

struct keeping {
    struct request *req;
    const json_t *before;      /* the configuration; NULL: it is new */
    const json_t *old_secrets; /* of its notifiers */
    json_t *secrets;           /* of those to come */
};

/* A notification that was there before keeps its id; whatever else was sent becomes a new one. */
static str
settle_id(struct keeping *keeping, json_t *notifier)
{
    id given;
    str sent = json_str(json_object_get(notifier, "notifierId"));
    bool known = json_object_get(notifier, "notifierId") != NULL && id_parse(sent, &given) &&
                 alert_config_notifier(keeping->req->arena, keeping->before, given) != NULL &&
                 json_object_getn(keeping->secrets, sent.data, sent.len) == NULL;
    if (known)
        return sent;
    str made = id_text(keeping->req->arena, id_new(store_cell(keeping->req->api->store)));
    json_object_set_new(notifier, "notifierId", json_stringn(made.data, made.len));
    return made;
}

/* What belongs to a key that is the integration's may not be the notification's own. */
static error
check_without_key(struct request *req, const json_t *notifier, size_t place, const struct integration_type *type)
{
    struct resource found;
    bool is_there;
    for (size_t i = 1; i < INTEGRATION_FIELDS_MAX && type->fields[i].of_notification != NULL; i++) {
        const struct integration_field *field = &type->fields[i];
        if (field->part == PART_WITH_KEY && json_object_get(notifier, field->of_notification) != NULL)
            return fail(
                req->arena, INVALID_ATTRIBUTE_VALUE,
                V(str_format(req->arena, "notifications[%zu].%s", place, field->of_notification)),
                V(str_format(req->arena, "it needs %s as well; send both, or none of them to use the integration",
                             type->fields[0].of_notification)));
    }
    /* Locked, so that it cannot go before this notification is seen. */
    TRY(store_resource_lock(req->tx, req->project, STR(INTEGRATION_KIND), str_from(type->name), &is_there, &found));
    if (!is_there)
        return fail(req->arena, INTEGRATION_MISSING, V(str_format(req->arena, "notifications[%zu]", place)),
                    V(type->fields[0].of_notification), V(type->name));
    return OK;
}

/* With a key of its own it needs nothing of the integration. */
static error
complete_with_key(struct request *req, json_t *notifier, size_t place, const struct integration_type *type)
{
    const char *second = type->fields[1].of_notification;
    if (second == NULL || json_object_get(notifier, second) != NULL)
        return OK;
    if (str_is(str_from(type->name), "SLACK"))
        return fail(req->arena, MISSING_ATTRIBUTE, V(str_format(req->arena, "notifications[%zu].%s", place, second)));
    if (str_is(str_from(type->fields[1].of_integration), "region"))
        json_object_set_new(notifier, second, json_string("US"));
    return OK;
}

static error
settle_service(struct request *req, json_t *notifier, size_t place)
{
    const struct integration_type *type = integration_type_find(json_str(json_object_get(notifier, "typeName")));
    if (type == NULL)
        return OK;
    if (json_object_get(notifier, type->fields[0].of_notification) == NULL)
        return check_without_key(req, notifier, place, type);
    return complete_with_key(req, notifier, place, type);
}

static error
settle_notification(struct keeping *keeping, json_t *notifier, size_t place)
{
    struct request *req = keeping->req;
    str type = json_str(json_object_get(notifier, "typeName"));
    if (alert_is_mail(type) && !req->api->sends_mail)
        return fail(req->arena, NOT_OFFERED,
                    V(str_format(req->arena, "notifications[%zu].typeName %.*s", place, STR_ARG(type))),
                    V("this deployment has no mail server"));
    TRY(settle_service(req, notifier, place));
    if (json_object_get(notifier, "webhookUrl") != NULL)
        TRY(given_secret_check_url(req, str_format(req->arena, "notifications[%zu].webhookUrl", place),
                                   json_str(json_object_get(notifier, "webhookUrl"))));
    str template = json_text_at(notifier, "webhookBodyTemplate"), wrong = alert_template_problem(req->arena, template);
    if (template.len > 0 && wrong.len > 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE,
                    V(str_format(req->arena, "notifications[%zu].webhookBodyTemplate", place)), V(wrong));
    str own_id = settle_id(keeping, notifier);
    const json_t *old = json_object_getn(keeping->old_secrets, own_id.data, own_id.len);
    json_t *own = json_in(req->arena, json_object());
    for (size_t i = 0; alert_secret_fields[i] != NULL; i++) {
        struct given_secret_field field = {
            .name = alert_secret_fields[i],
            .place = str_format(req->arena, "notifications[%zu].%s", place, alert_secret_fields[i]),
            .is_url = str_is(str_from(alert_secret_fields[i]), "microsoftTeamsWebhookUrl"),
        };
        TRY(given_secret_take(req, &field, notifier, old, own));
    }
    json_object_setn(keeping->secrets, own_id.data, own_id.len, own);
    return OK;
}

static error
settle_notifications(struct request *req, const struct change *change, const struct key *key, json_t **ret_secrets)
{
    size_t i;
    json_t *notifier;
    struct keeping keeping = { .req = req, .before = change->before, .secrets = json_in(req->arena, json_object()) };
    if (change->before != NULL)
        keeping.old_secrets = alert_secrets_open(req->arena, key, change->id, change->before);
    json_array_foreach(json_object_get(change->after, "notifications"), i, notifier)
        TRY(settle_notification(&keeping, notifier, i));
    *ret_secrets = keeping.secrets;
    return OK;
}

/* ---- What becomes of open alerts ---- */

/* Quietly: nobody is told that the condition is not looked at any more. */
static error
close_alerts(struct request *req, const struct change *change)
{
    id alerts[ALERT_ENDING_MAX];
    size_t count;
    str document, cluster;
    TRY(store_alert_close_moments(req->tx, req->project, change->id));
    TRY(store_alert_ending_of_config(req->tx, req->project, change->id, alerts, &count));
    for (size_t i = 0; i < count; i++) {
        TRY(store_alert_close(req->tx, req->organization, alerts[i], &document, &cluster));
        if (document.len > 0)
            TRY(request_event_of_cluster(req, EVENT_ALERT_CLOSED, cluster, NULL, json_parse_own(req->arena, document)));
    }
    return OK;
}

/* Whether it now asks for something else, so that what it raised and what it saw does not count any more. */
static bool
begins_anew(const struct change *change)
{
    static const char *const parts[] = { "eventTypeName", "matchers", "threshold", "metricThreshold" };
    for (size_t i = 0; i < LENGTH(parts); i++) {
        const json_t *before = json_object_get(change->before, parts[i]);
        const json_t *after = json_object_get(change->after, parts[i]);
        if ((before == NULL) != (after == NULL) || (before != NULL && !json_equal(before, after)))
            return true;
    }
    return !json_is_true(json_object_get(change->before, "enabled"));
}

static void
set_date(struct request *req, json_t *document, const char *name)
{
    str now = date_now(req->arena);
    json_object_set_new(document, name, json_stringn(now.data, now.len));
}

static error
check_config(struct request *req, struct change *change)
{
    int64_t newest;
    json_t *secrets;
    if (change->after != NULL)
        TRY(check_condition(req, change->after));
    if (change->before == NULL)
        TRY(project_limit_check(req, LIMIT_ALERT_CONFIGS));
    TRY(store_alert_cursor_take(req->tx, req->organization, req->project, &newest));
    bool is_anew = change->before == NULL || change->after == NULL || begins_anew(change);
    if (change->before != NULL && (is_anew || !json_is_true(json_object_get(change->after, "enabled"))))
        TRY(close_alerts(req, change));
    if (change->after == NULL)
        return OK;
    struct key key = auth_key_for(req->api->auth, ALERT_KEY_PURPOSE);
    TRY(settle_notifications(req, change, &key, &secrets));
    json_t *hidden = alert_hidden_new(req->arena, &key, change->id, secrets,
                                      is_anew ? newest : alert_config_after_seq(change->before));
    crypto_wipe(&key, sizeof(key));
    if (hidden == NULL)
        return fail(req->arena, OVERLOADED);
    str project = id_text(req->arena, req->project);
    json_object_set_new(change->after, "groupId", json_stringn(project.data, project.len));
    set_date(req, change->after, "updated");
    if (change->before == NULL)
        set_date(req, change->after, "created");
    else
        json_object_set(change->after, "created", json_object_get(change->before, "created"));
    json_object_set(change->after, ALERT_HIDDEN_FIELD, hidden);
    return OK;
}

const struct kind alert_config = {
    .name = ALERT_CONFIG_KIND,
    .parameter = "alertConfigId",
    .hidden = ALERT_HIDDEN_FIELD,
    .created = EVENT_ALERT_CONFIG_CREATED,
    .changed = EVENT_ALERT_CONFIG_UPDATED,
    .deleted = EVENT_ALERT_CONFIG_DELETED,
    .check = check_config,
};

/* ---- What a project begins with ---- */

/*
 * They come with the project and go with it: the project's own event says that it has them. What an owner wants to hear of although somebody who may do it did it, what
 * failed after it was accepted, and what would stand still or be lost if nobody looked.
 */
static const char *const default_types[] = {
    "CLUSTER_DELETE_SUBMITTED",
    "GROUP_MOVED",
    "USER_SECURITY_CHANGED",
    "EMPLOYEE_ACCESS_GRANTED",
    "INDEX_FAILED",
    "BACKUP_FAILING",
    "BACKUP_DAMAGED",
    "BACKUP_SNAPSHOT_LATE",
    "BACKUP_DRILL_FAILED",
    "NO_PRIMARY",
    "DATABASE_USER_CERTIFICATE_ENDS_SOON",
    "BACKUP_DRILL_OVERDUE",
};

/* Where something is measured: what stops a server when nobody looks. */
static const struct {
    const char *metric, *units;
    int threshold;
} default_limits[] = {
    { "DISK_PARTITION_SPACE_USED_DATA", "RAW", 90 },
    { "CONNECTIONS_PERCENT", "RAW", 80 },
    { "OPLOG_SLAVE_LAG_MASTER_TIME", "MINUTES", 5 },
    { "TRANSACTION_ID_AGE", "RAW", 1000000000 },
};

/* `limit` is NULL for a type of events. */
static error
add_default(struct request *req, const struct resource_draft *place, const char *type, json_t *limit,
            const struct key *key, int64_t newest)
{
    struct resource stored;
    struct resource_draft draft = *place;
    bool is_free;
    draft.id = id_new(store_cell(req->api->store));
    draft.name = id_text(req->arena, draft.id);
    const char *notifier = id_text(req->arena, id_new(store_cell(req->api->store))).data;
    json_t *document = json_in(
        req->arena, json_pack("{s:s, s:s, s:s, s:b, s:[], s:[{s:s, s:s, s:b, s:[s], s:i}]}", "id", draft.name.data,
                              "groupId", id_text(req->arena, draft.scope).data, "eventTypeName", type, "enabled", true,
                              "matchers", "notifications", "notifierId", notifier, "typeName", "GROUP", "emailEnabled",
                              true, "roles", "GROUP_OWNER", "delayMin", 0));
    json_t *secrets = json_in(req->arena, json_pack("{s:{}}", notifier));
    json_t *hidden = alert_hidden_new(req->arena, key, draft.id, secrets, newest);
    if (document == NULL || hidden == NULL)
        return fail(req->arena, OVERLOADED);
    if (limit != NULL)
        json_object_set(document, "metricThreshold", limit);
    set_date(req, document, "created");
    set_date(req, document, "updated");
    json_object_set(document, ALERT_HIDDEN_FIELD, hidden);
    draft.document = json_text(req->arena, document);
    return store_resource_add(req->tx, &draft, &is_free, &stored); /* its name is its id, and free */
}

error
alert_config_add_defaults(struct request *req, id organization, id project)
{
    int64_t newest;
    error problem = OK;
    struct resource_draft place = { .organization = organization, .scope = project, .kind = STR(ALERT_CONFIG_KIND) };
    if (!req->api->sends_mail) /* nobody could be told */
        return OK;
    TRY(store_alert_cursor_take(req->tx, organization, project, &newest));
    struct key key = auth_key_for(req->api->auth, ALERT_KEY_PURPOSE);
    for (size_t i = 0; problem == OK && i < LENGTH(default_types); i++)
        problem = add_default(req, &place, default_types[i], NULL, &key, newest);
    for (size_t i = 0; problem == OK && monitor_stores_count(req->api->monitor) > 0 && i < LENGTH(default_limits);
         i++) {
        json_t *limit =
            json_in(req->arena, json_pack("{s:s, s:s, s:s, s:i, s:s}", "metricName", default_limits[i].metric, "mode",
                                          "AVERAGE", "operator", "GREATER_THAN", "threshold",
                                          default_limits[i].threshold, "units", default_limits[i].units));
        problem = limit == NULL ? fail(req->arena, OVERLOADED)
                                : add_default(req, &place, ALERT_METRIC_TYPE, limit, &key, newest);
    }
    crypto_wipe(&key, sizeof(key));
    return problem;
}

/* ---- Changing ---- */

error
alert_config_replace(struct request *req)
{
    struct change change;
    TRY(crud_lock(req, &change));
    change.after = json_in(req->arena, json_deep_copy(req->body));
    if (change.after == NULL)
        return fail(req->arena, OVERLOADED);
    json_object_set(change.after, "id", json_object_get(change.before, "id"));
    return crud_store_and_answer(req, &change);
}

error
alert_config_toggle(struct request *req)
{
    struct change change;
    TRY(crud_lock(req, &change));
    const json_t *enabled = json_object_get(req->body, "enabled");
    if (enabled == NULL || json_equal(enabled, json_object_get(change.before, "enabled"))) {
        answer_entity(req, json_text(req->arena, crud_shown(req, change.before)), change.revision);
        return OK;
    }
    change.after = json_in(req->arena, json_deep_copy(change.before));
    if (change.after == NULL)
        return fail(req->arena, OVERLOADED);
    json_object_set(change.after, "enabled", (json_t *)(uintptr_t)enabled);
    return crud_store_and_answer(req, &change);
}
