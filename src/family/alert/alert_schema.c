/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of alerts, of their configurations and of notifications. */
#include "base/net/egress.h"
#include "family/alert/alerts.h"
#include "family/auth/roles.h"
#include "family/identity/people.h"
#include "job/alert/alert_metric.h"
#include "job/alert/alert_rule.h"
#include "job/alert/alert_template.h"

/* A key of another service: what can stand in a header or an address as it is. A mask has stars. */
#define SERVICE_KEY "^[*A-Za-z0-9._~-]+$"

/* What every mail server takes. */
#define MAIL_ADDRESS "^[A-Za-z0-9._%+'/=~-]{1,64}@(?:[A-Za-z0-9.-]{1,189})$"

/* ---- Notifications ---- */

static const char *const pager_regions[] = { "US", "EU", NULL };
static const char *const datadog_regions[] = { "US", "EU", "US3", "US5", "AP1", "US1_FED", NULL };
static const char *const notification_types[] = { "EMAIL",      "GROUP",           "ORG",       "TEAM",       "USER",
                                                  "DATADOG",    "MICROSOFT_TEAMS", "OPS_GENIE", "PAGER_DUTY", "SLACK",
                                                  "VICTOR_OPS", "WEBHOOK",         NULL };

#define SECRET(field_name, sentence, ...)                                                                       \
    TEXT(field_name,                                                                                            \
         sentence                                                                                               \
         " Answers show only its last characters; sent back in that form, it does not change. Without it, the " \
         "project's integration of this type is used.",                                                         \
         0, .min = 8, __VA_ARGS__)
#define REGION(field_name, regions)                                                                                 \
    TEXT(field_name, "Region of the service, US by default. Without a key it is the region of the integration.", 0, \
         .one_of = regions)
#define MAIL_SWITCH \
    BOOL("emailEnabled", "Whether they are told by mail. There is no other way.", ALWAYS, .fallback = "true")

static const struct field email_fields[] = {
    TEXT("emailAddress", "Address that a mail is sent to.", REQUIRED | ALWAYS, .min = 3, .max = 254,
         .pattern = MAIL_ADDRESS, .example = "\"oncall@example.org\""),
    END_OF_FIELDS,
};
static const struct field group_fields[] = {
    MAIL_SWITCH,
    LIST("roles", "Only people who hold one of these roles in the project; an empty list for all of them.", ALWAYS,
         .item = TYPE_TEXT, .max = 30, .one_of = project_role_names, .fallback = "[]"),
    END_OF_FIELDS,
};
static const struct field org_fields[] = {
    MAIL_SWITCH,
    LIST("roles", "Only people who hold one of these roles in the organization; an empty list for all of them.", ALWAYS,
         .item = TYPE_TEXT, .max = 30, .one_of = organization_role_names, .fallback = "[]"),
    END_OF_FIELDS,
};
static const struct field team_fields[] = {
    MAIL_SWITCH,
    ID("teamId", "Team whose people are told.", REQUIRED | ALWAYS),
    END_OF_FIELDS,
};
static const struct field user_fields[] = {
    MAIL_SWITCH,
    TEXT("username", "Person who is told, while they belong to the organization.", REQUIRED | ALWAYS, .min = 3,
         .max = 254, .pattern = USERNAME_PATTERN, .example = "\"ada@example.org\""),
    END_OF_FIELDS,
};
static const struct field datadog_fields[] = {
    SECRET("datadogApiKey", "Key of the service.", .max = 128, .pattern = SERVICE_KEY),
    REGION("datadogRegion", datadog_regions),
    END_OF_FIELDS,
};
static const struct field teams_fields[] = {
    SECRET("microsoftTeamsWebhookUrl", "Address that the service gave for one channel.", .max = EGRESS_MAX_URL,
           .pattern = "^(https://|\\*\\*\\*\\*)[!-~]+$", .example = "\"https://chat.example.org/webhook/1f0c\""),
    END_OF_FIELDS,
};
static const struct field ops_genie_fields[] = {
    SECRET("opsGenieApiKey", "Key of the service.", .max = 128, .pattern = SERVICE_KEY),
    REGION("opsGenieRegion", pager_regions),
    END_OF_FIELDS,
};
static const struct field pager_duty_fields[] = {
    SECRET("serviceKey", "Integration key of the service.", .max = 128, .pattern = SERVICE_KEY),
    REGION("region", pager_regions),
    END_OF_FIELDS,
};
static const struct field slack_fields[] = {
    SECRET("apiToken", "Token of the service.", .max = 255, .pattern = SERVICE_KEY),
    TEXT("channelName",
         "Channel for the messages. Required with a token; else the channel of the integration by default.", 0,
         .min = 1, .max = 80, .example = "\"#alerts\""),
    END_OF_FIELDS,
};
static const struct field victor_ops_fields[] = {
    SECRET("victorOpsApiKey", "Key of the service.", .max = 128, .pattern = SERVICE_KEY),
    TEXT("victorOpsRoutingKey", "Routing key of the service. Without a key: that of the integration by default.", 0,
         .max = 128, .pattern = "^[A-Za-z0-9._~-]*$"),
    END_OF_FIELDS,
};
static const struct field webhook_fields[] = {
    TEXT("webhookUrl",
         "Where it is sent, with https. Its name must resolve to public addresses only, unless the operator allows "
         "others. Without it, the address and key of the project's integration of this type are used.",
         0, .min = 9, .max = EGRESS_MAX_URL, .pattern = "^https://[!-~]+$",
         .example = "\"https://hooks.example.org/alerts\""),
    TEXT("webhookSecret",
         "Key of the signatures; without it nothing is signed. Answers show only its last characters; sent back in "
         "that form, it does not change.",
         0, .min = 8, .max = 512),
    TEXT(
        "webhookBodyTemplate",
        "Body of the requests, JSON in which `{{name}}` stands for a fact: about, alertId, clusterName, created, eventType, metric, "
        "notificationId, process, projectId, projectName, resolved, severity, status, subject, text, unit, value. Facts stand between quotes; "
        "value, a number, may stand without. Without it that of the project's integration is used, or Reeve's own form.",
        0, .min = 1, .max = ALERT_TEMPLATE_MAX, .example = "\"{\\\"title\\\": \\\"{{subject}}\\\"}\""),
    END_OF_FIELDS,
};
static const struct schema email_schema = { "Email", "A mail to one address.", email_fields },
                           group_schema = { "Group", "Mails to people of the project.", group_fields },
                           org_schema = { "Org", "Mails to people of the organization.", org_fields },
                           team_schema = { "Team", "Mails to a team.", team_fields },
                           user_schema = { "User", "A mail to one person.", user_fields },
                           datadog_schema = { "Datadog", "An event at that service.", datadog_fields },
                           teams_schema = { "MicrosoftTeams", "A card in a channel.", teams_fields },
                           ops_genie_schema = { "OpsGenie", "An alert at that service.", ops_genie_fields },
                           pager_duty_schema = { "PagerDuty", "An incident at that service.", pager_duty_fields },
                           slack_schema = { "Slack", "A message in a channel.", slack_fields },
                           victor_ops_schema = { "VictorOps", "An incident at that service.", victor_ops_fields },
                           webhook_schema = { "Webhook", "An HTTPS request in Reeve's own form.", webhook_fields };
static const struct field_variant notification_variants[] = {
    { "EMAIL", &email_schema },
    { "GROUP", &group_schema },
    { "ORG", &org_schema },
    { "TEAM", &team_schema },
    { "USER", &user_schema },
    { "DATADOG", &datadog_schema },
    { "MICROSOFT_TEAMS", &teams_schema },
    { "OPS_GENIE", &ops_genie_schema },
    { "PAGER_DUTY", &pager_duty_schema },
    { "SLACK", &slack_schema },
    { "VICTOR_OPS", &victor_ops_schema },
    { "WEBHOOK", &webhook_schema },
    END_OF_VARIANTS,
};
static const struct field notification_fields[] = {
    TEXT("typeName", "How somebody is told.", REQUIRED | ALWAYS, .one_of = notification_types,
         .variants = notification_variants),
    ID("notifierId",
       "Identifier of the notification. A replacement that sends it keeps the secrets of that notification; without "
       "it the notification is a new one.",
       ALWAYS),
    INTEGER("delayMin", "Minutes that the alert must be open before anybody is told.", ALWAYS, .max = 1440,
            .fallback = "0"),
    INTEGER("intervalMin", "Minutes between reminders while the alert is open; without it there are none.", 0, .min = 5,
            .max = 10080),
    END_OF_FIELDS,
};
static const struct schema notification_schema = { "AlertNotification", "Who is told of an alert, and how.",
                                                   notification_fields };

/* ---- Configurations ---- */

static const char *const greater_than[] = { "GREATER_THAN", NULL };
static const char *const raw[] = { "RAW", NULL };

static const struct field matcher_fields[] = {
    TEXT("fieldName",
         "What is compared. An event has the name of a cluster at most; what is measured has all of these.",
         REQUIRED | ALWAYS, .one_of = alert_matcher_fields),
    TEXT("operator", "How it is compared; EWITH is the end of the text.", REQUIRED | ALWAYS,
         .one_of = alert_matcher_operators),
    TEXT("value", "What it is compared with; for REGEX a regular expression.", REQUIRED | ALWAYS, .min = 1, .max = 250,
         .example = "\"orders\""),
    END_OF_FIELDS,
};
static const struct schema matcher_schema = { "AlertMatcher", "Limits a configuration to certain things.",
                                              matcher_fields };

static const struct field threshold_fields[] = {
    TEXT("operator", "How it is compared.", ALWAYS, .one_of = greater_than, .fallback = "\"GREATER_THAN\""),
    INTEGER("threshold", "Number of events.", REQUIRED | ALWAYS, .max = 100000),
    TEXT("units", "What is counted.", ALWAYS, .one_of = raw, .fallback = "\"RAW\""),
    END_OF_FIELDS,
};
static const struct schema threshold_schema = { "AlertThreshold", "How many events raise an alert.", threshold_fields };

static const char *const average[] = { "AVERAGE", NULL };
static const char *const comparisons[] = { "GREATER_THAN", "LESS_THAN", NULL };
static const struct field metric_threshold_fields[] = {
    TEXT("metricName", "What is compared, of each member that the matchers match.", REQUIRED | ALWAYS,
         .one_of = alert_metric_names, .example = "\"CONNECTIONS_PERCENT\""),
    TEXT("mode", "Which value is compared: the mean of the last half minute.", ALWAYS, .one_of = average,
         .fallback = "\"AVERAGE\""),
    TEXT("operator", "How it is compared.", ALWAYS, .one_of = comparisons, .fallback = "\"GREATER_THAN\""),
    NUMBER("threshold", "What it is compared with.", REQUIRED | ALWAYS, .example = "80"),
    TEXT(
        "units",
        "What the threshold is written in. Times can be in units of time, by default HOURS; sizes and rates of data in units of data, "
        "by default BYTES; everything else, percentages too, is RAW.",
        0, .one_of = alert_unit_names),
    END_OF_FIELDS,
};
static const struct schema metric_threshold_schema = { "AlertMetricThreshold",
                                                       "Which values of a measurement raise an alert.",
                                                       metric_threshold_fields };

static const struct field config_fields[] = {
    ID("id", "Identifier of the configuration.", READ_ONLY | ALWAYS),
    ID("groupId", "Project that it belongs to.", READ_ONLY | ALWAYS),
    TEXT("eventTypeName",
         "Type of the event that raises an alert. " ALERT_METRIC_TYPE
         " raises one when a measurement is outside of `metricThreshold`.",
         REQUIRED | ALWAYS, .one_of = alert_type_names, .example = "\"CLUSTER_PAUSED\""),
    BOOL("enabled", "Whether alerts are raised.", ALWAYS, .fallback = "false"),
    LIST("matchers", "What the event must be about; all matchers must match.", ALWAYS, .of = &matcher_schema, .max = 20,
         .fallback = "[]"),
    OBJECT("threshold",
           "Raises an alert only when more events of this type happened within an hour, about the same cluster.", 0,
           .of = &threshold_schema),
    OBJECT(
        "metricThreshold",
        "With " ALERT_METRIC_TYPE
        ", and only with it: what must be measured. A member of which nothing is measured neither raises nor closes an alert.",
        0, .of = &metric_threshold_schema),
    LIST("notifications", "Who is told.", REQUIRED | ALWAYS, .of = &notification_schema, .min = 1, .max = 25,
         .short_form = "typeName:emailAddress"),
    TEXT("severityOverride", "Severity, when it differs from the usual one for this type of event.", 0,
         .one_of = alert_severity_names),
    DATE("created", "When it was created.", READ_ONLY | ALWAYS),
    DATE("updated", "When it was last changed.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema alert_config_schema = { "AlertConfig", "A condition, and who is told when it holds.",
                                            config_fields };

static const struct field toggle_fields[] = {
    BOOL("enabled", "Whether alerts are raised.", 0),
    END_OF_FIELDS,
};
const struct schema alert_toggle_schema = { "AlertToggle", "Whether a condition is checked.", toggle_fields };

static const struct field matcher_field_fields[] = {
    TEXT("fieldName", "Name that a matcher can use.", READ_ONLY | ALWAYS, .one_of = alert_matcher_fields),
    END_OF_FIELDS,
};
const struct schema alert_matcher_field_schema = { "AlertMatcherField", "Something that matchers can compare.",
                                                   matcher_field_fields };

/* ---- Alerts ---- */

static const char *const statuses[] = { "TRACKING", "OPEN", "CLOSED", NULL };

static const struct field value_fields[] = {
    NUMBER("number",
           "Events of this type in the hour before the alert, including the one that raised it; or what was measured.",
           READ_ONLY | ALWAYS),
    TEXT("units", "What it is written in.", READ_ONLY | ALWAYS, .one_of = alert_unit_names),
    END_OF_FIELDS,
};
static const struct schema value_schema = { "AlertValue", "The value that raised an alert.", value_fields };

static const struct field alert_fields[] = {
    ID("id", "Identifier of the alert.", READ_ONLY | ALWAYS),
    ID("orgId", "Organization in which it was raised.", READ_ONLY | ALWAYS),
    ID("groupId", "Project in which it was raised.", READ_ONLY | ALWAYS),
    ID("alertConfigId", "Configuration that raised it; it may have been deleted since.", READ_ONLY | ALWAYS),
    ID("eventId", "Event that raised it, when one did.", READ_ONLY),
    TEXT("eventTypeName", "Type of that event.", READ_ONLY | ALWAYS, .one_of = alert_type_names),
    TEXT("severity", "Severity.", READ_ONLY | ALWAYS, .one_of = alert_severity_names),
    TEXT("clusterName", "Cluster that it is about, when it is about one.", READ_ONLY),
    TEXT("hostnameAndPort", "Process that it is about, when something was measured.", READ_ONLY),
    TEXT("metricName", "What was measured.", READ_ONLY, .one_of = alert_metric_names),
    TEXT("status", "TRACKING until the first notification is due, then OPEN, and CLOSED when it is over.",
         READ_ONLY | ALWAYS, .one_of = statuses),
    OBJECT("currentValue", "The value that raised it.", READ_ONLY | ALWAYS, .of = &value_schema),
    DATE("created", "When the event happened.", READ_ONLY | ALWAYS),
    DATE("updated", "When the alert last changed.", READ_ONLY | ALWAYS),
    DATE("resolved", "When it was closed.", READ_ONLY),
    DATE("lastNotified", "When somebody was last told of it.", READ_ONLY),
    DATE("acknowledgedUntil", "Until when nobody is told about it, except about its end.", READ_ONLY),
    TEXT("acknowledgementComment", "Why it was acknowledged.", READ_ONLY),
    TEXT("acknowledgingUsername", "Who acknowledged it: a person, a public key or a client id.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema alert_schema = { "Alert", "One occurrence of a condition.", alert_fields };

static const struct field acknowledgement_fields[] = {
    DATE("acknowledgedUntil",
         "Until when nobody is told about it, except about its end. A moment in the past ends the acknowledgement.", 0),
    TEXT("acknowledgementComment", "Why it was acknowledged.", 0, .max = 200),
    BOOL("unacknowledgeAlert", "Ends the acknowledgement, whatever else is sent.", 0),
    END_OF_FIELDS,
};
const struct schema alert_acknowledgement_schema = { "AlertAcknowledgement", "Silences an alert for a while.",
                                                     acknowledgement_fields };
