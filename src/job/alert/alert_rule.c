/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_rule.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/json.h"

enum { MATCH_LIMIT = 100000, HEAP_LIMIT_KIB = 1024 };

// clang-format off
/* ROW(type of the event, severity, types that end it) */
#define RULE_TABLE(ROW) \
    ROW("CLUSTER_CREATED",                       "INFO",    "CLUSTER_READY") \
    ROW("CLUSTER_READY",                         "INFO",    NULL) \
    ROW("CLUSTER_UPDATE_SUBMITTED",              "INFO",    "CLUSTER_UPDATE_COMPLETED") \
    ROW("CLUSTER_UPDATE_COMPLETED",              "INFO",    NULL) \
    ROW("CLUSTER_DELETE_SUBMITTED",              "WARNING", "CLUSTER_DELETED") \
    ROW("CLUSTER_DELETED",                       "WARNING", NULL) \
    ROW("CLUSTER_PAUSED",                        "WARNING", "CLUSTER_RESUMED") \
    ROW("CLUSTER_RESUMED",                       "INFO",    NULL) \
    ROW("CLUSTER_PROCESS_ARGS_UPDATE_SUBMITTED", "INFO",    NULL) \
    ROW("CLUSTER_PRIMARY_RESTART_SUBMITTED",     "INFO",    "CLUSTER_PRIMARY_RESTARTED") \
    ROW("CLUSTER_PRIMARY_RESTARTED",             "INFO",    NULL) \
    ROW("CLUSTER_MEMBERS_MOVED",                 "INFO",    NULL) \
    ROW("CLUSTER_FCV_PINNED",                    "INFO",    "CLUSTER_FCV_UNPINNED") \
    ROW("CLUSTER_FCV_UNPINNED",                  "INFO",    NULL) \
    ROW("EMPLOYEE_ACCESS_GRANTED",               "WARNING", "EMPLOYEE_ACCESS_REVOKED") \
    ROW("EMPLOYEE_ACCESS_REVOKED",               "INFO",    NULL) \
    ROW("CLUSTER_REGION_OUTAGE_REQUESTED",       "WARNING", "CLUSTER_REGION_OUTAGE_STARTED,CLUSTER_REGION_OUTAGE_ENDED") \
    ROW("CLUSTER_REGION_OUTAGE_STARTED",         "WARNING", "CLUSTER_REGION_OUTAGE_ENDED") \
    ROW("CLUSTER_REGION_OUTAGE_END_REQUESTED",   "INFO",    "CLUSTER_REGION_OUTAGE_ENDED") \
    ROW("CLUSTER_REGION_OUTAGE_ENDED",           "INFO",    NULL) \
    ROW("SAMPLE_DATASET_LOAD_REQUESTED",         "INFO",    "SAMPLE_DATASET_LOADED,SAMPLE_DATASET_LOAD_FAILED") \
    ROW("SAMPLE_DATASET_LOADED",                 "INFO",    NULL) \
    ROW("SAMPLE_DATASET_LOAD_FAILED",            "ERROR",   NULL) \
    ROW("INDEX_REQUESTED",                       "INFO",    NULL) \
    ROW("INDEX_CREATED",                         "INFO",    NULL) \
    ROW("INDEX_FAILED",                          "ERROR",   NULL) \
    ROW("DATABASE_USER_CREATED",                 "INFO",    NULL) \
    ROW("DATABASE_USER_UPDATED",                 "INFO",    NULL) \
    ROW("DATABASE_USER_DELETED",                 "INFO",    NULL) \
    ROW("DATABASE_USER_EXPIRED",                 "INFO",    NULL) \
    ROW("DATABASE_USER_CERTIFICATE_CREATED",     "INFO",    NULL) \
    ROW("USER_SECURITY_CHANGED",                 "WARNING", NULL) \
    ROW("LDAP_VERIFICATION_REQUESTED",           "INFO",    NULL) \
    ROW("CUSTOM_ROLE_CREATED",                   "INFO",    NULL) \
    ROW("CUSTOM_ROLE_UPDATED",                   "INFO",    NULL) \
    ROW("CUSTOM_ROLE_DELETED",                   "INFO",    NULL) \
    ROW("NETWORK_PERMISSION_ENTRY_ADDED",        "WARNING", NULL) \
    ROW("NETWORK_PERMISSION_ENTRY_REMOVED",      "INFO",    NULL) \
    ROW("NETWORK_PERMISSION_ENTRY_EXPIRED",      "INFO",    NULL) \
    ROW("PRIVATE_IP_MODE_CHANGED",               "INFO",    NULL) \
    ROW("CUSTOM_DNS_CHANGED",                    "INFO",    NULL) \
    ROW("GROUP_UPDATED",                         "INFO",    NULL) \
    ROW("GROUP_MOVED",                           "WARNING", NULL) \
    ROW("GROUP_SETTINGS_CHANGED",                "INFO",    NULL) \
    ROW("GROUP_LIMIT_CHANGED",                   "INFO",    NULL) \
    ROW("ROLE_GRANTED",                          "INFO",    NULL) \
    ROW("ROLE_REVOKED",                          "INFO",    NULL) \
    ROW("USER_ROLES_CHANGED",                    "INFO",    NULL) \
    ROW("USER_ADDED",                            "INFO",    NULL) \
    ROW("USER_REMOVED",                          "INFO",    NULL) \
    ROW("INVITATION_CREATED",                    "INFO",    NULL) \
    ROW("INVITATION_CHANGED",                    "INFO",    NULL) \
    ROW("INVITATION_DELETED",                    "INFO",    NULL) \
    ROW("INVITATION_ACCEPTED",                   "INFO",    NULL) \
    ROW("API_KEY_CREATED",                       "INFO",    NULL) \
    ROW("API_KEY_UPDATED",                       "INFO",    NULL) \
    ROW("API_KEY_DELETED",                       "INFO",    NULL) \
    ROW("SERVICE_ACCOUNT_CREATED",               "INFO",    NULL) \
    ROW("SERVICE_ACCOUNT_UPDATED",               "INFO",    NULL) \
    ROW("SERVICE_ACCOUNT_DELETED",               "INFO",    NULL) \
    ROW("SERVICE_ACCOUNT_SECRET_CREATED",        "INFO",    NULL) \
    ROW("SERVICE_ACCOUNT_SECRET_DELETED",        "INFO",    NULL) \
    ROW("TEAM_ADDED_TO_GROUP",                   "INFO",    NULL) \
    ROW("TEAM_ROLES_CHANGED",                    "INFO",    NULL) \
    ROW("TEAM_REMOVED_FROM_GROUP",               "INFO",    NULL) \
    ROW("OPERATION_RETRIED",                     "INFO",    NULL) \
    ROW("OPERATION_CANCELLED",                   "WARNING", NULL)
// clang-format on

#define RULE(type, severity, ended_by) { type, severity, ended_by },
const struct alert_rule alert_rules[] = { RULE_TABLE(RULE){ NULL, NULL, NULL } };
#undef RULE
#define RULE_NAME(type, severity, ended_by) type,
const char *const alert_type_names[] = { RULE_TABLE(RULE_NAME) ALERT_METRIC_TYPE, NULL };
#undef RULE_NAME

const char *const alert_matcher_fields[] = { "CLUSTER_NAME", NULL };
const char *const alert_matcher_operators[] = { "EQUALS",     "CONTAINS",     "STARTS_WITH", "EWITH",
                                                "NOT_EQUALS", "NOT_CONTAINS", "REGEX",       NULL };

const struct alert_rule *
alert_rule_find(str type)
{
    for (const struct alert_rule *rule = alert_rules; rule->type != NULL; rule++) {
        if (str_is(type, rule->type))
            return rule;
    }
    return NULL;
}

bool
alert_rule_is_ended_by(const struct alert_rule *rule, str type)
{
    if (rule->ended_by == NULL)
        return false;
    if (str_is(type, "CLUSTER_DELETED")) /* nothing lasts longer than the cluster */
        return true;
    str types = str_from(rule->ended_by);
    while (types.len > 0) {
        if (str_eq(str_cut(&types, ','), type))
            return true;
    }
    return false;
}

/* ---- Matchers ---- */

static pcre2_code *
compile(str expression)
{
    int why;
    size_t at;
    return pcre2_compile((PCRE2_SPTR)expression.data, expression.len, PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &why, &at,
                         NULL);
}

bool
alert_expression_is_fine(str expression)
{
    pcre2_code *code = compile(expression);
    pcre2_code_free(code);
    return code != NULL;
}

/* Tenants write these: a match that takes too many steps is none. */
static bool
matches(str expression, str text)
{
    pcre2_code *code = compile(expression);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *data = code == NULL ? NULL : pcre2_match_data_create_from_pattern(code, NULL);
    bool does = false;
    if (limits != NULL && data != NULL) {
        pcre2_set_match_limit(limits, MATCH_LIMIT);
        pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
        does = pcre2_match(code, (PCRE2_SPTR)text.data, text.len, 0, 0, data, limits) >= 0;
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(limits);
    pcre2_code_free(code);
    return does;
}

static bool
contains(str text, str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++) {
        if (memcmp(text.data + i, part.data, part.len) == 0)
            return true;
    }
    return false;
}

static bool
holds(str operator, str text, str value)
{
    if (str_is(operator, "EQUALS"))
        return str_eq(text, value);
    if (str_is(operator, "NOT_EQUALS"))
        return !str_eq(text, value);
    if (str_is(operator, "CONTAINS"))
        return contains(text, value);
    if (str_is(operator, "NOT_CONTAINS"))
        return !contains(text, value);
    if (str_is(operator, "STARTS_WITH"))
        return str_starts_with(text, value);
    if (str_is(operator, "EWITH"))
        return str_ends_with(text, value);
    return str_is(operator, "REGEX") && matches(value, text);
}

bool
alert_matchers_hold(const json_t *matchers, str cluster)
{
    size_t i;
    const json_t *matcher;
    json_array_foreach(matchers, i, matcher)
    {
        if (cluster.len == 0 || !holds(json_str(json_object_get(matcher, "operator")), cluster,
                                       json_str(json_object_get(matcher, "value"))))
            return false;
    }
    return true;
}
