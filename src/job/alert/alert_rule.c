/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_rule.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/json.h"

enum { MATCH_LIMIT = 100000, HEAP_LIMIT_KIB = 1024 };

// clang-format off
/* ROW(type of the event, severity, types that end it) */
#define RULE_TABLE(ROW) \
    ROW("CLUSTER_CREATED",                       SEVERITY_INFO,    "CLUSTER_READY") \
    ROW("CLUSTER_READY",                         SEVERITY_INFO,    NULL) \
    ROW("CLUSTER_UPDATE_SUBMITTED",              SEVERITY_INFO,    "CLUSTER_UPDATE_COMPLETED") \
    ROW("CLUSTER_UPDATE_COMPLETED",              SEVERITY_INFO,    NULL) \
    ROW("COMPUTE_AUTO_SCALE_INITIATED_BASE",     SEVERITY_INFO,    NULL) \
    ROW("COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_BASE", SEVERITY_WARNING, NULL) \
    ROW("COMPUTE_AUTO_SCALE_NO_CAPACITY",        SEVERITY_WARNING, NULL) \
    ROW("COMPUTE_AUTO_SCALE_FORBIDDEN",          SEVERITY_WARNING, NULL) \
    ROW("DISK_AUTO_SCALE_INITIATED",             SEVERITY_INFO,    NULL) \
    ROW("DISK_AUTO_SCALE_MAX_DISK_SIZE_FAIL",    SEVERITY_ERROR,   NULL) \
    ROW("DISK_AUTO_SCALE_NO_CAPACITY",           SEVERITY_ERROR,   NULL) \
    ROW("DISK_AUTO_SCALE_FORBIDDEN",             SEVERITY_ERROR,   NULL) \
    ROW("CLUSTER_DELETE_SUBMITTED",              SEVERITY_WARNING, "CLUSTER_DELETED") \
    ROW("CLUSTER_DELETED",                       SEVERITY_WARNING, NULL) \
    ROW("CLUSTER_PAUSED",                        SEVERITY_WARNING, "CLUSTER_RESUMED") \
    ROW("CLUSTER_RESUMED",                       SEVERITY_INFO,    NULL) \
    ROW("CLUSTER_PROCESS_ARGS_UPDATE_SUBMITTED", SEVERITY_INFO,    NULL) \
    ROW("CLUSTER_PRIMARY_RESTART_SUBMITTED",     SEVERITY_INFO,    "CLUSTER_PRIMARY_RESTARTED") \
    ROW("CLUSTER_PRIMARY_RESTARTED",             SEVERITY_INFO,    NULL) \
    ROW("CLUSTER_MEMBERS_MOVED",                 SEVERITY_INFO,    NULL) \
    ROW("CLUSTER_VERSION_UPDATED",               SEVERITY_INFO,    NULL) \
    ROW("CLUSTER_VERSION_UPDATE_FAILED",         SEVERITY_WARNING, NULL) \
    ROW("NO_PRIMARY",                            SEVERITY_CRITICAL, "ONE_PRIMARY,CLUSTER_PAUSED") \
    ROW("ONE_PRIMARY",                           SEVERITY_INFO,    NULL) \
    ROW("CLUSTER_FCV_PINNED",                    SEVERITY_INFO,    "CLUSTER_FCV_UNPINNED") \
    ROW("CLUSTER_FCV_UNPINNED",                  SEVERITY_INFO,    NULL) \
    ROW("EMPLOYEE_ACCESS_GRANTED",               SEVERITY_WARNING, "EMPLOYEE_ACCESS_REVOKED") \
    ROW("EMPLOYEE_ACCESS_REVOKED",               SEVERITY_INFO,    NULL) \
    ROW("CLUSTER_REGION_OUTAGE_REQUESTED",       SEVERITY_WARNING, "CLUSTER_REGION_OUTAGE_STARTED,CLUSTER_REGION_OUTAGE_ENDED") \
    ROW("CLUSTER_REGION_OUTAGE_STARTED",         SEVERITY_WARNING, "CLUSTER_REGION_OUTAGE_ENDED") \
    ROW("CLUSTER_REGION_OUTAGE_END_REQUESTED",   SEVERITY_INFO,    "CLUSTER_REGION_OUTAGE_ENDED") \
    ROW("CLUSTER_REGION_OUTAGE_ENDED",           SEVERITY_INFO,    NULL) \
    ROW("SAMPLE_DATASET_LOAD_REQUESTED",         SEVERITY_INFO,    "SAMPLE_DATASET_LOADED,SAMPLE_DATASET_LOAD_FAILED") \
    ROW("SAMPLE_DATASET_LOADED",                 SEVERITY_INFO,    NULL) \
    ROW("SAMPLE_DATASET_LOAD_FAILED",            SEVERITY_ERROR,   NULL) \
    ROW("BACKUP_SNAPSHOT_REQUESTED",             SEVERITY_INFO,    NULL) \
    ROW("BACKUP_SNAPSHOT_RETENTION_CHANGED",     SEVERITY_INFO,    NULL) \
    ROW("BACKUP_SNAPSHOT_DELETED",               SEVERITY_WARNING, NULL) \
    ROW("BACKUP_SNAPSHOT_LATE",                  SEVERITY_ERROR,   "BACKUP_SNAPSHOT_IN_TIME,CLUSTER_DELETED") \
    ROW("BACKUP_SNAPSHOT_IN_TIME",               SEVERITY_INFO,    NULL) \
    ROW("BACKUP_RESTORE_REQUESTED",              SEVERITY_WARNING, "BACKUP_RESTORE_COMPLETED,BACKUP_RESTORE_CANCELLED,BACKUP_RESTORE_FAILED,CLUSTER_DELETED") \
    ROW("BACKUP_RESTORE_CANCEL_REQUESTED",       SEVERITY_INFO,    "BACKUP_RESTORE_CANCELLED,BACKUP_RESTORE_COMPLETED,CLUSTER_DELETED") \
    ROW("BACKUP_RESTORE_COMPLETED",              SEVERITY_INFO,    NULL) \
    ROW("BACKUP_RESTORE_CANCELLED",              SEVERITY_INFO,    NULL) \
    ROW("BACKUP_RESTORE_FAILED",                 SEVERITY_ERROR,   "BACKUP_RESTORE_COMPLETED,CLUSTER_DELETED") \
    ROW("BACKUP_EXPORT_REQUESTED",               SEVERITY_INFO,    NULL) \
    ROW("BACKUP_EXPORT_SUCCEEDED",               SEVERITY_INFO,    NULL) \
    ROW("BACKUP_EXPORT_FAILED",                  SEVERITY_ERROR,   "BACKUP_EXPORT_SUCCEEDED,CLUSTER_DELETED") \
    ROW("BACKUP_DRILL_REQUESTED",                SEVERITY_INFO,    NULL) \
    ROW("BACKUP_DRILL_SUCCEEDED",                SEVERITY_INFO,    NULL) \
    ROW("BACKUP_DRILL_FAILED",                   SEVERITY_CRITICAL, "BACKUP_DRILL_SUCCEEDED,CLUSTER_DELETED") \
    ROW("BACKUP_DRILL_NOT_RUN",                  SEVERITY_WARNING, "BACKUP_DRILL_SUCCEEDED,BACKUP_DRILL_FAILED,CLUSTER_DELETED") \
    ROW("BACKUP_DRILL_OVERDUE",                  SEVERITY_ERROR,   "BACKUP_DRILL_IN_TIME,CLUSTER_DELETED") \
    ROW("BACKUP_DRILL_IN_TIME",                  SEVERITY_INFO,    NULL) \
    ROW("BACKUP_DRILL_SETTINGS_CHANGED",         SEVERITY_INFO,    NULL) \
    ROW("BACKUP_DAMAGED",                        SEVERITY_CRITICAL, "BACKUP_SOUND,CLUSTER_DELETED") \
    ROW("BACKUP_SOUND",                          SEVERITY_INFO,    NULL) \
    ROW("BACKUP_FAILING",                        SEVERITY_ERROR,   "BACKUP_WORKING,CLUSTER_DELETED") \
    ROW("BACKUP_WORKING",                        SEVERITY_INFO,    NULL) \
    ROW("BACKUP_SCHEDULE_CHANGED",               SEVERITY_INFO,    NULL) \
    ROW("BACKUP_COMPLIANCE_POLICY_SET",          SEVERITY_INFO,    NULL) \
    ROW("BACKUP_COMPLIANCE_POLICY_ENDED",        SEVERITY_WARNING, NULL) \
    ROW("INDEX_REQUESTED",                       SEVERITY_INFO,    NULL) \
    ROW("INDEX_CREATED",                         SEVERITY_INFO,    NULL) \
    ROW("INDEX_FAILED",                          SEVERITY_ERROR,   NULL) \
    ROW("DATABASE_USER_CREATED",                 SEVERITY_INFO,    NULL) \
    ROW("DATABASE_USER_UPDATED",                 SEVERITY_INFO,    NULL) \
    ROW("DATABASE_USER_DELETED",                 SEVERITY_INFO,    NULL) \
    ROW("DATABASE_USER_EXPIRED",                 SEVERITY_INFO,    NULL) \
    ROW("DATABASE_USER_CERTIFICATE_CREATED",     SEVERITY_INFO,    NULL) \
    ROW("DATABASE_USER_CERTIFICATE_ENDS_SOON",   SEVERITY_WARNING, NULL) \
    ROW("USER_SECURITY_CHANGED",                 SEVERITY_WARNING, NULL) \
    ROW("LDAP_VERIFICATION_REQUESTED",           SEVERITY_INFO,    NULL) \
    ROW("LDAP_GROUP_PEOPLE_CHANGED",             SEVERITY_INFO,    NULL) \
    ROW("LDAP_GROUP_EMPTY",                      SEVERITY_WARNING, NULL) \
    ROW("LDAP_GROUP_NAMES_SKIPPED",              SEVERITY_WARNING, NULL) \
    ROW("LDAP_GROUPS_NOT_READ",                  SEVERITY_ERROR,   "LDAP_GROUPS_READ_AGAIN") \
    ROW("LDAP_GROUPS_READ_AGAIN",                SEVERITY_INFO,    NULL) \
    ROW("CUSTOM_ROLE_CREATED",                   SEVERITY_INFO,    NULL) \
    ROW("CUSTOM_ROLE_UPDATED",                   SEVERITY_INFO,    NULL) \
    ROW("CUSTOM_ROLE_DELETED",                   SEVERITY_INFO,    NULL) \
    ROW("NETWORK_PERMISSION_ENTRY_ADDED",        SEVERITY_WARNING, NULL) \
    ROW("NETWORK_PERMISSION_ENTRY_REMOVED",      SEVERITY_INFO,    NULL) \
    ROW("NETWORK_PERMISSION_ENTRY_EXPIRED",      SEVERITY_INFO,    NULL) \
    ROW("PRIVATE_IP_MODE_CHANGED",               SEVERITY_INFO,    NULL) \
    ROW("CUSTOM_DNS_CHANGED",                    SEVERITY_INFO,    NULL) \
    ROW("GROUP_UPDATED",                         SEVERITY_INFO,    NULL) \
    ROW("GROUP_MOVED",                           SEVERITY_WARNING, NULL) \
    ROW("GROUP_SETTINGS_CHANGED",                SEVERITY_INFO,    NULL) \
    ROW("GROUP_LIMIT_CHANGED",                   SEVERITY_INFO,    NULL) \
    ROW("ROLE_GRANTED",                          SEVERITY_INFO,    NULL) \
    ROW("ROLE_REVOKED",                          SEVERITY_INFO,    NULL) \
    ROW("USER_ROLES_CHANGED",                    SEVERITY_INFO,    NULL) \
    ROW("USER_ADDED",                            SEVERITY_INFO,    NULL) \
    ROW("USER_REMOVED",                          SEVERITY_INFO,    NULL) \
    ROW("INVITATION_CREATED",                    SEVERITY_INFO,    NULL) \
    ROW("INVITATION_CHANGED",                    SEVERITY_INFO,    NULL) \
    ROW("INVITATION_DELETED",                    SEVERITY_INFO,    NULL) \
    ROW("INVITATION_ACCEPTED",                   SEVERITY_INFO,    NULL) \
    ROW("API_KEY_CREATED",                       SEVERITY_INFO,    NULL) \
    ROW("API_KEY_UPDATED",                       SEVERITY_INFO,    NULL) \
    ROW("API_KEY_DELETED",                       SEVERITY_INFO,    NULL) \
    ROW("SERVICE_ACCOUNT_CREATED",               SEVERITY_INFO,    NULL) \
    ROW("SERVICE_ACCOUNT_UPDATED",               SEVERITY_INFO,    NULL) \
    ROW("SERVICE_ACCOUNT_DELETED",               SEVERITY_INFO,    NULL) \
    ROW("SERVICE_ACCOUNT_SECRET_CREATED",        SEVERITY_INFO,    NULL) \
    ROW("SERVICE_ACCOUNT_SECRET_DELETED",        SEVERITY_INFO,    NULL) \
    ROW("TEAM_ADDED_TO_GROUP",                   SEVERITY_INFO,    NULL) \
    ROW("TEAM_ROLES_CHANGED",                    SEVERITY_INFO,    NULL) \
    ROW("TEAM_REMOVED_FROM_GROUP",               SEVERITY_INFO,    NULL) \
    ROW("OPERATION_RETRIED",                     SEVERITY_INFO,    NULL) \
    ROW("OPERATION_CANCELLED",                   SEVERITY_WARNING, NULL)
// clang-format on

const char *const alert_severity_names[] = {
    [SEVERITY_INFO] = "INFO",
    [SEVERITY_WARNING] = "WARNING",
    [SEVERITY_ERROR] = "ERROR",
    [SEVERITY_CRITICAL] = "CRITICAL",
    NULL,
};

#define RULE(type, severity, ended_by) { type, severity, ended_by },
const struct alert_rule alert_rules[] = { RULE_TABLE(RULE){ NULL, SEVERITY_INFO, NULL } };
#undef RULE
#define RULE_NAME(type, severity, ended_by) type,
const char *const alert_type_names[] = { RULE_TABLE(RULE_NAME) ALERT_METRIC_TYPE, NULL };
#undef RULE_NAME

const char *const alert_matcher_fields[] = {
    [MATCH_CLUSTER] = "CLUSTER_NAME",
    [MATCH_HOSTNAME] = "HOSTNAME",
    [MATCH_PROCESS] = "HOSTNAME_AND_PORT",
    [MATCH_PORT] = "PORT",
    [MATCH_SET] = "REPLICA_SET_NAME",
    [MATCH_TYPE] = "TYPE_NAME",
    NULL,
};
/* By the enum, in the order in which the API names them. */
enum matcher_operator { EQUALS, CONTAINS, STARTS_WITH, ENDS_WITH, NOT_EQUALS, NOT_CONTAINS, REGEX };
const char *const alert_matcher_operators[] = {
    [EQUALS] = "EQUALS",
    [CONTAINS] = "CONTAINS",
    [STARTS_WITH] = "STARTS_WITH",
    [ENDS_WITH] = "EWITH",
    [NOT_EQUALS] = "NOT_EQUALS",
    [NOT_CONTAINS] = "NOT_CONTAINS",
    [REGEX] = "REGEX",
    NULL,
};

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
    switch (str_word(operator, alert_matcher_operators)) {
    case EQUALS: return str_eq(text, value);
    case NOT_EQUALS: return !str_eq(text, value);
    case CONTAINS: return contains(text, value);
    case NOT_CONTAINS: return !contains(text, value);
    case STARTS_WITH: return str_starts_with(text, value);
    case ENDS_WITH: return str_ends_with(text, value);
    case REGEX: return matches(value, text);
    }
    return false;
}

bool
alert_matchers_hold(const json_t *matchers, const struct alert_matched *what)
{
    size_t i;
    const json_t *matcher;
    json_array_foreach(matchers, i, matcher)
    {
        int field = str_word(json_str(json_object_get(matcher, "fieldName")), alert_matcher_fields);
        str text = field < 0 ? STR_EMPTY : what->fields[field];
        if (text.len == 0 ||
            !holds(json_str(json_object_get(matcher, "operator")), text, json_str(json_object_get(matcher, "value"))))
            return false;
    }
    return true;
}
