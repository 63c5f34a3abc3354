/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_message.h"

#include "base/crypto/webhook_signature.h"
#include "base/json.h"
#include "job/alert/alert_rule.h"
#include "job/alert/alert_template.h"
#include "job/alert/integration.h"
#include "store/event/event.h"

enum { TEXT_MAX_BYTES = 64 * 1024 };

/* ---- Words ---- */

static str
of(const struct alert_facts *facts, const char *name)
{
    const json_t *value = json_object_get(facts->alert, name);
    return value == NULL ? STR_EMPTY : json_str(value);
}

static bool
is_closed(const struct alert_facts *facts)
{
    return facts->about == ABOUT_CLOSED;
}

static const char *
sentence_of(str type)
{
    if (str_is(type, ALERT_METRIC_TYPE))
        return "What is measured is outside of its limit.";
    for (int i = 0; i < EVENT_TYPE_COUNT; i++) {
        if (str_is(type, event_rows[i].name))
            return event_rows[i].sentence;
    }
    return "";
}

str
alert_subject(struct arena *arena, const struct alert_facts *facts)
{
    str cluster = of(facts, "clusterName"), metric = of(facts, "metricName");
    const char *state = is_closed(facts) ? "closed" : facts->about == ABOUT_REMINDER ? "still open" : "open";
    return str_format(arena, "[%.*s] %.*s%s%.*s: %s", STR_ARG(of(facts, "severity")),
                      STR_ARG(metric.len > 0 ? metric : of(facts, "eventTypeName")),
                      cluster.len == 0 ? "" : " of cluster ", STR_ARG(cluster), state);
}

str
alert_text(struct arena *arena, const struct alert_facts *facts)
{
    struct buf out = buf_in(arena, TEXT_MAX_BYTES);
    const json_t *value = json_object_get(facts->alert, "currentValue");
    str cluster = of(facts, "clusterName");
    buf_format(&out, "%s\n\n", sentence_of(of(facts, "eventTypeName")));
    buf_format(&out, "Project: %.*s (%.*s)\n", STR_ARG(facts->project_name), STR_ARG(of(facts, "groupId")));
    if (cluster.len > 0)
        buf_format(&out, "Cluster: %.*s\n", STR_ARG(cluster));
    if (of(facts, "metricName").len > 0)
        buf_format(&out, "Process: %.*s\nMeasured: %.*s %.15g %.*s\n", STR_ARG(of(facts, "hostnameAndPort")),
                   STR_ARG(of(facts, "metricName")), json_number_value(json_object_get(value, "number")),
                   STR_ARG(json_str(json_object_get(value, "units"))));
    buf_format(&out, "Event: %.*s\nSeverity: %.*s\nSince: %.*s\n", STR_ARG(of(facts, "eventTypeName")),
               STR_ARG(of(facts, "severity")), STR_ARG(of(facts, "created")));
    if (is_closed(facts))
        buf_format(&out, "Closed: %.*s\n", STR_ARG(of(facts, "resolved")));
    buf_format(&out, "Alert: %.*s\nNotification: %s\n", STR_ARG(of(facts, "id")),
               id_text(arena, facts->notification).data);
    return buf_str(&out);
}

/* ---- Services ---- */

struct making {
    struct arena *arena;
    const struct alert_facts *facts;
    const json_t *notifier, *secrets;
    struct alert_message message;
    str subject, text;
};

static void
add_header(struct making *making, str name, str value)
{
    making->message.headers[making->message.header_count++] = (struct post_header){ name, value };
}

static str
field(const struct making *making, const char *name)
{
    const json_t *value = json_object_get(making->notifier, name);
    return value == NULL ? STR_EMPTY : json_str(value);
}

static str
secret(const struct making *making, const char *name)
{
    const json_t *value = json_object_get(making->secrets, name);
    return value == NULL ? STR_EMPTY : json_str(value);
}

static void
set_body(struct making *making, json_t *body)
{
    making->message.body = json_text(making->arena, json_in(making->arena, body));
}

static const char *
id_of_alert(const struct making *making)
{
    return of(making->facts, "id").data;
}

/* The word that a service has for a severity. */
static const char *
word_for(const struct making *making, const char *info, const char *warning, const char *bad, const char *critical)
{
    const char *const words[] = {
        [SEVERITY_INFO] = info,
        [SEVERITY_WARNING] = warning,
        [SEVERITY_ERROR] = bad,
        [SEVERITY_CRITICAL] = critical,
    };
    int severity = str_word(of(making->facts, "severity"), alert_severity_names);
    return words[severity < 0 ? SEVERITY_INFO : severity];
}

static str
make_slack(struct making *making)
{
    add_header(making, STR("Authorization"),
               str_format(making->arena, "Bearer %.*s", STR_ARG(secret(making, "apiToken"))));
    set_body(making, json_pack("{s:s, s:s}", "channel", field(making, "channelName").data, "text",
                               str_format(making->arena, "%s\n%s", making->subject.data, making->text.data).data));
    return STR("https://slack.com/api/chat.postMessage");
}

static str
make_pager_duty(struct making *making)
{
    const struct alert_facts *facts = making->facts;
    set_body(making,
             json_pack("{s:s, s:s, s:s, s:{s:s, s:s, s:s, s:s, s:s, s:{s:s, s:O}}}", "routing_key",
                       secret(making, "serviceKey").data, "event_action", is_closed(facts) ? "resolve" : "trigger",
                       "dedup_key", id_of_alert(making), "payload", "summary", making->subject.data, "source", "reeve",
                       "severity", word_for(making, "info", "warning", "error", "critical"), "timestamp",
                       of(facts, "created").data, "group", of(facts, "groupId").data, "custom_details",
                       "notificationId", id_text(making->arena, facts->notification).data, "alert", facts->alert));
    return str_is(field(making, "region"), "EU") ? STR("https://events.eu.pagerduty.com/v2/enqueue")
                                                 : STR("https://events.pagerduty.com/v2/enqueue");
}

static str
make_ops_genie(struct making *making)
{
    const char *host = str_is(field(making, "opsGenieRegion"), "EU") ? "api.eu.opsgenie.com" : "api.opsgenie.com";
    add_header(making, STR("Authorization"),
               str_format(making->arena, "GenieKey %.*s", STR_ARG(secret(making, "opsGenieApiKey"))));
    if (is_closed(making->facts)) {
        set_body(making, json_pack("{s:s, s:s}", "source", "reeve", "note", making->text.data));
        return str_format(making->arena, "https://%s/v2/alerts/%s/close?identifierType=alias", host,
                          id_of_alert(making));
    }
    set_body(making, json_pack("{s:s, s:s, s:s, s:s, s:s, s:{s:s}}", "message", making->subject.data, "alias",
                               id_of_alert(making), "description", making->text.data, "source", "reeve", "priority",
                               word_for(making, "P5", "P3", "P2", "P1"), "details", "notificationId",
                               id_text(making->arena, making->facts->notification).data));
    return str_format(making->arena, "https://%s/v2/alerts", host);
}

static str
make_victor_ops(struct making *making)
{
    const char *type =
        is_closed(making->facts) ? "RECOVERY" : word_for(making, "INFO", "WARNING", "CRITICAL", "CRITICAL");
    str routing = field(making, "victorOpsRoutingKey");
    set_body(making, json_pack("{s:s, s:s, s:s, s:s, s:s}", "message_type", type, "entity_id", id_of_alert(making),
                               "entity_display_name", making->subject.data, "state_message", making->text.data,
                               "monitoring_tool", "reeve"));
    return str_format(making->arena, "https://alert.victorops.com/integrations/generic/20131114/alert/%s%s%s",
                      secret(making, "victorOpsApiKey").data, routing.len == 0 ? "" : "/", routing.data);
}

static str
make_datadog(struct making *making)
{
    add_header(making, STR("DD-API-KEY"), secret(making, "datadogApiKey"));
    set_body(making,
             json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s]}", "title", making->subject.data, "text", making->text.data,
                       "alert_type",
                       is_closed(making->facts) ? "success" : word_for(making, "info", "warning", "error", "error"),
                       "aggregation_key", id_of_alert(making), "source_type_name", "reeve", "tags",
                       str_format(making->arena, "project:%s", of(making->facts, "groupId").data).data));
    return str_format(making->arena, "https://%s/api/v1/events",
                      integration_datadog_host(field(making, "datadogRegion")));
}

static str
make_teams(struct making *making)
{
    set_body(making,
             json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "@type", "MessageCard", "@context",
                       "https://schema.org/extensions", "summary", making->subject.data, "title", making->subject.data,
                       "text", making->text.data, "themeColor", is_closed(making->facts) ? "2EB886" : "D00000"));
    return secret(making, "microsoftTeamsWebhookUrl");
}

/* In the project's own form. One that came to nothing, because it would be too long, is sent in ours: an alert is not kept back for it. */
static void
set_own_body(struct making *making, str text)
{
    const struct alert_facts *facts = making->facts;
    const json_t *value = json_object_get(facts->alert, "currentValue");
    const str said[ALERT_TEMPLATE_FACT_COUNT] = {
        [TEMPLATE_about] = str_from(notification_about_words[facts->about]),
        [TEMPLATE_alertId] = of(facts, "id"),
        [TEMPLATE_clusterName] = of(facts, "clusterName"),
        [TEMPLATE_created] = of(facts, "created"),
        [TEMPLATE_eventType] = of(facts, "eventTypeName"),
        [TEMPLATE_metric] = of(facts, "metricName"),
        [TEMPLATE_notificationId] = id_text(making->arena, facts->notification),
        [TEMPLATE_process] = of(facts, "hostnameAndPort"),
        [TEMPLATE_projectId] = of(facts, "groupId"),
        [TEMPLATE_projectName] = facts->project_name,
        [TEMPLATE_resolved] = of(facts, "resolved"),
        [TEMPLATE_severity] = of(facts, "severity"),
        [TEMPLATE_status] = of(facts, "status"),
        [TEMPLATE_subject] = making->subject,
        [TEMPLATE_text] = making->text,
        [TEMPLATE_unit] = json_text_at(value, "units"),
        [TEMPLATE_value] =
            value == NULL ? STR("0")
                          : str_format(making->arena, "%.15g", json_number_value(json_object_get(value, "number"))),
    };
    making->message.body = alert_template_fill(making->arena, text, said);
}

static str
make_webhook(struct making *making)
{
    str key = secret(making, "webhookSecret"), template = field(making, "webhookBodyTemplate");
    if (template.len > 0)
        set_own_body(making, template);
    if (making->message.body.len == 0)
        set_body(making, json_pack("{s:s, s:s, s:O}", "notificationId",
                                   id_text(making->arena, making->facts->notification).data, "about",
                                   notification_about_words[making->facts->about], "alert", making->facts->alert));
    if (key.len > 0) {
        add_header(making, STR("Reeve-Webhook-Timestamp"), str_from_int(making->arena, making->facts->now_s));
        add_header(making, STR("Reeve-Webhook-Signature"),
                   webhook_signature(making->arena, key, making->facts->now_s, making->message.body));
    }
    return field(making, "webhookUrl");
}

static const struct {
    const char *type_name;
    str (*make)(struct making *making); /* the address; body and headers are set */
    bool relayed;                       /* its address is the service's own, not the tenant's */
} services[] = {
    { "SLACK", make_slack, true },         { "PAGER_DUTY", make_pager_duty, true },
    { "OPS_GENIE", make_ops_genie, true }, { "VICTOR_OPS", make_victor_ops, true },
    { "DATADOG", make_datadog, true },     { "MICROSOFT_TEAMS", make_teams, false },
    { "WEBHOOK", make_webhook, false },
};

bool
alert_message_make(struct arena *arena, const struct alert_facts *facts, const json_t *notifier, const json_t *secrets,
                   str relay, struct alert_message *ret_message)
{
    struct making making = {
        .arena = arena,
        .facts = facts,
        .notifier = notifier,
        .secrets = secrets,
        .subject = alert_subject(arena, facts),
        .text = alert_text(arena, facts),
    };
    add_header(&making, STR("Content-Type"), STR("application/json"));
    add_header(&making, STR("Reeve-Notification-Id"), id_text(arena, facts->notification));
    for (size_t i = 0; i < LENGTH(services); i++) {
        if (!str_is(json_str(json_object_get(notifier, "typeName")), services[i].type_name))
            continue;
        str url = services[i].make(&making);
        if (services[i].relayed)
            url = integration_relayed(arena, relay, url);
        making.message.url = url;
        *ret_message = making.message;
        return url.len > 0 && making.message.body.len > 0 && !arena_is_exhausted(arena);
    }
    return false;
}

str
alert_message_refusal(str type_name, str answer)
{
    if (!str_is(type_name, "SLACK"))
        return STR_EMPTY;
    json_t *said = json_loadb(answer.data, answer.len, 0, NULL);
    /* What is longer than what was kept cannot be read; a refusal is short. */
    bool refused = said != NULL && json_is_false(json_object_get(said, "ok"));
    json_decref(said);
    return refused ? STR("The service did not take it.") : STR_EMPTY;
}
