/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy that protects a project's backups. While it is there nobody makes it weaker, nobody makes a schedule weaker than it, and no
 * snapshot goes before its end: not the owner of the project, not the operator. It can be ended only when nothing is protected any more.
 */
#include "api/api.h"
#include "api/request_event.h"
#include "backup/schedule_document.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "family/backup/backups.h"
#include "store/backup/policy.h"
#include "store/backup/snapshot.h"
#include "store/resource.h"

/* ---- Reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    return OK;
}

const struct read compliance_get = { SQL_BACKUP_POLICY_GET, bind_get, answer_row };

error
compliance_find(struct request *req, json_t **ret_policy)
{
    struct resource current;
    bool found;
    TRY(store_resource_lock(req->tx, req->project, STR(COMPLIANCE_POLICY_KIND), STR_EMPTY, &found, &current));
    *ret_policy = found ? json_parse_own(req->arena, current.document) : NULL;
    return found && *ret_policy == NULL ? fail(req->arena, OVERLOADED) : OK;
}

error
compliance_refusal(struct request *req, int64_t protected_ms)
{
    return fail(req->arena, BACKUP_PROTECTED, V(date_text(req->arena, protected_ms / 1000 * 1000)));
}

/* ---- Comparing ---- */

/* Both units as days of a calendar that begins at the same moment. */
static int64_t
retention_ms(const struct schedule_item *item)
{
    return schedule_add(0, item->unit, item->value);
}

/* A rule is met by one of the same frequency that is due at least as often and keeps at least as long. */
static bool
is_met_by(const struct schedule_item *wanted, const struct schedule_item *item)
{
    bool is_as_often = wanted->frequency != SCHEDULE_HOURLY || item->interval <= wanted->interval;
    return item->frequency == wanted->frequency && is_as_often && retention_ms(item) >= retention_ms(wanted);
}

static bool
is_met(const json_t *wanted, const json_t *items)
{
    struct schedule_item rule, item;
    size_t index;
    const json_t *other;
    if (!schedule_document_item(wanted, &rule))
        return true;
    json_array_foreach(items, index, other)
    {
        if (schedule_document_item(other, &item) && is_met_by(&rule, &item))
            return true;
    }
    return false;
}

/* The first rule of the policy that a list of rules does not meet; NULL: it meets all. */
static const json_t *
first_unmet(const json_t *policy, const json_t *items)
{
    size_t index;
    const json_t *wanted;
    json_array_foreach(json_object_get(policy, "scheduledPolicyItems"), index, wanted)
    {
        if (!is_met(wanted, items))
            return wanted;
    }
    return NULL;
}

static int64_t
window_of(const json_t *document)
{
    return json_integer_value(json_object_get(document, "restoreWindowDays"));
}

error
compliance_check_schedule(struct request *req, const json_t *policy, const json_t *schedule)
{
    const json_t *unmet = first_unmet(policy, schedule_document_items(schedule));
    if (unmet != NULL)
        return fail(req->arena, BELOW_COMPLIANCE_POLICY, V("The schedule"),
                    V(str_format(req->arena, "it must have a rule %s that is due as often and keeps for %d %s",
                                 json_str(json_object_get(unmet, "frequencyType")).data,
                                 (int)json_integer_value(json_object_get(unmet, "retentionValue")),
                                 json_str(json_object_get(unmet, "retentionUnit")).data)));
    if (window_of(schedule) < window_of(policy))
        return fail(req->arena, BELOW_COMPLIANCE_POLICY, V("restoreWindowDays"),
                    V(str_format(req->arena, "it must be at least %d", (int)window_of(policy))));
    return OK;
}

int64_t
compliance_on_demand_expires(const json_t *policy, int64_t now_ms, int64_t otherwise_ms)
{
    const json_t *item = json_object_get(policy, "onDemandPolicyItem");
    int unit = str_word(json_str(json_object_get(item, "retentionUnit")), schedule_unit_words);
    if (unit < 0)
        return otherwise_ms;
    return schedule_add(now_ms, (enum schedule_unit)unit,
                        (int)json_integer_value(json_object_get(item, "retentionValue")));
}

error
compliance_check_on_demand(struct request *req, const json_t *policy, int64_t now_ms, int64_t expires_ms)
{
    int64_t least_ms = compliance_on_demand_expires(policy, now_ms, now_ms);
    if (expires_ms >= least_ms)
        return OK;
    return fail(
        req->arena, BELOW_COMPLIANCE_POLICY, V("retentionInDays"),
        V(str_format(req->arena, "such snapshots are kept until %s at least", date_text(req->arena, least_ms).data)));
}

/* ---- Setting ---- */

static bool
is_authorized(const struct request *req, const json_t *policy)
{
    return req->caller->kind == PRINCIPAL_PERSON &&
           str_eq_nocase(req->caller->name, json_str(json_object_get(policy, "authorizedEmail")));
}

/* Fields by which the new policy must not be less than the one that is in force. */
static error
check_not_weaker(struct request *req, const json_t *before, const json_t *after)
{
    static const char *const switches[] = { "copyProtectionEnabled", "pitEnabled", NULL };
    static const char *const person[] = { "authorizedEmail", "authorizedUserFirstName", "authorizedUserLastName",
                                          NULL };
    for (size_t i = 0; switches[i] != NULL; i++) {
        if (json_is_true(json_object_get(before, switches[i])) && !json_is_true(json_object_get(after, switches[i])))
            return fail(req->arena, COMPLIANCE_POLICY_IN_FORCE, V(switches[i]));
    }
    for (size_t i = 0; person[i] != NULL; i++) {
        if (!json_equal(json_object_get(before, person[i]), json_object_get(after, person[i])) &&
            !is_authorized(req, before))
            return fail(req->arena, COMPLIANCE_POLICY_IN_FORCE, V(person[i]));
    }
    if (window_of(after) < window_of(before))
        return fail(req->arena, COMPLIANCE_POLICY_IN_FORCE, V("restoreWindowDays"));
    if (first_unmet(before, json_object_get(after, "scheduledPolicyItems")) != NULL)
        return fail(req->arena, COMPLIANCE_POLICY_IN_FORCE, V("scheduledPolicyItems"));
    if (compliance_on_demand_expires(after, 0, 0) < compliance_on_demand_expires(before, 0, 0))
        return fail(req->arena, COMPLIANCE_POLICY_IN_FORCE, V("onDemandPolicyItem"));
    return OK;
}

/* Adds the rules that are missing; a rule of the schedule that the policy's own replaces goes. */
static error
raise_schedule(struct request *req, const json_t *policy, json_t *schedule)
{
    json_t *items = schedule_document_items(schedule);
    const json_t *unmet;
    while ((unmet = first_unmet(policy, items)) != NULL) {
        json_t *rule = json_deep_copy(unmet);
        for (size_t i = json_array_size(items); i-- > 0;) {
            const json_t *other = json_array_get(items, i);
            if (json_equal(json_object_get(other, "frequencyType"), json_object_get(rule, "frequencyType")) &&
                json_equal(json_object_get(other, "frequencyInterval"), json_object_get(rule, "frequencyInterval")))
                json_array_remove(items, i);
        }
        if (json_array_append_new(items, rule) != 0 || json_array_size(items) > SCHEDULE_MOST_ITEMS)
            return fail(req->arena, BELOW_COMPLIANCE_POLICY, V("The schedule"),
                        V("it has no room for the policy's rules"));
    }
    if (window_of(schedule) < window_of(policy))
        json_object_set_new(schedule, "restoreWindowDays", json_integer(window_of(policy)));
    return OK;
}

/* Every schedule of the project meets the policy afterwards, or it is refused. */
static error
apply_to_schedule(struct request *req, const json_t *policy, const struct stored_schedule *stored)
{
    struct resource ignored;
    json_t *before = json_parse_own(req->arena, stored->document), *after = json_in(req->arena, json_deep_copy(before));
    str cluster = json_str(json_object_get(before, "clusterName"));
    if (after == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(raise_schedule(req, policy, after));
    if (json_equal(before, after))
        return OK;
    if (str_is(request_query(req, "overwriteBackupPolicies"), "false"))
        return fail(req->arena, BELOW_COMPLIANCE_POLICY,
                    V(str_format(req->arena, "The schedule of cluster %.*s", STR_ARG(cluster))),
                    V("set overwriteBackupPolicies, or change it first"));
    TRY(schedule_check_items(req, "scheduledPolicyItems", schedule_document_items(before),
                             schedule_document_items(after)));
    schedule_document_touch(req->arena, after, clock_now_ms());
    struct resource_draft draft = { .organization = req->organization,
                                    .scope = req->project,
                                    .id = stored->id,
                                    .kind = STR(SCHEDULE_KIND),
                                    .document = json_text(req->arena, after) };
    TRY(store_resource_replace(req->tx, &draft, &ignored));
    return request_event_of_cluster(req, EVENT_BACKUP_SCHEDULE_CHANGED, cluster, before, after);
}

/* To what there is: snapshots first, because schedules write events, and whoever has those must not wait for snapshots. */
static error
apply(struct request *req, const json_t *policy)
{
    struct stored_schedule *schedules;
    size_t count;
    TRY(store_backup_schedules_lock(req->tx, req->project, &count, &schedules));
    TRY(store_snapshots_protect(req->tx, req->project));
    for (size_t i = 0; i < count; i++)
        TRY(apply_to_schedule(req, policy, &schedules[i]));
    return OK;
}

/* The document as it is stored: what was sent, with what the service decides. */
static error
complete(struct request *req, const json_t *before, json_t *after)
{
    json_t *on_demand = json_object_get(after, "onDemandPolicyItem");
    if (json_is_true(json_object_get(after, "encryptionAtRestEnabled")))
        return fail(req->arena, NOT_OFFERED, V("Encryption with the project's own key"),
                    V("backups are encrypted with a key of their own for each cluster"));
    TRY(schedule_check_items(req, "scheduledPolicyItems", json_object_get(before, "scheduledPolicyItems"),
                             json_object_get(after, "scheduledPolicyItems")));
    if (on_demand != NULL) {
        const json_t *known = json_object_get(json_object_get(before, "onDemandPolicyItem"), "id");
        json_object_set_new(on_demand, "id",
                            known != NULL ? json_deep_copy(known)
                                          : json_string(id_text(req->arena, id_new(store_cell(req->api->store))).data));
    }
    json_object_set_new(after, "projectId", json_string(id_text(req->arena, req->project).data));
    json_object_set_new(after, "state", json_string("ACTIVE"));
    json_object_set_new(after, "updatedDate", json_string(date_now(req->arena).data));
    json_object_set_new(after, "updatedUser", json_stringn(req->caller->name.data, req->caller->name.len));
    return OK;
}

static error
answer_stored(struct request *req)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(bind_get(req, &params));
    TRY(tx_query(req->tx, SQL_BACKUP_POLICY_GET, &params, &rows, NULL));
    return answer_row(req, &rows);
}

error
compliance_set(struct request *req)
{
    struct resource current, ignored;
    str bare;
    TRY(store_backup_policy_hold(req->tx, req->organization, req->project));
    TRY(store_resource_lock_single(req->tx, req->organization, req->project, STR(COMPLIANCE_POLICY_KIND), STR("{}"),
                                   &current));
    json_t *before = json_parse_own(req->arena, current.document),
           *after = json_in(req->arena, json_deep_copy(req->body));
    if (before == NULL || after == NULL)
        return fail(req->arena, OVERLOADED);
    if (!current.is_new)
        TRY(request_check_match(req, current.revision));
    TRY(complete(req, before, after));
    if (!current.is_new)
        TRY(check_not_weaker(req, before, after));
    /* A cluster of which nothing is kept would not meet the policy, whatever it says. */
    TRY(store_backup_bare_cluster(req->tx, req->project, &bare));
    if (bare.len > 0)
        return fail(req->arena, BACKUPS_NOT_ENABLED, V(bare));
    TRY(apply(req, after));
    struct resource_draft draft = { .organization = req->organization,
                                    .scope = req->project,
                                    .id = current.id,
                                    .kind = STR(COMPLIANCE_POLICY_KIND),
                                    .document = json_text(req->arena, after) };
    TRY(store_resource_replace(req->tx, &draft, &ignored));
    TRY(request_event(req, EVENT_COMPLIANCE_POLICY_SET, current.is_new ? NULL : before, after));
    return answer_stored(req);
}

/* ---- Ending ---- */

error
compliance_end(struct request *req)
{
    struct resource current;
    bool found;
    int64_t protected_ms;
    TRY(store_resource_lock(req->tx, req->project, STR(COMPLIANCE_POLICY_KIND), STR_EMPTY, &found, &current));
    if (!found)
        return request_not_found(req);
    TRY(request_check_match(req, current.revision));
    const json_t *before = json_parse_own(req->arena, current.document);
    if (before == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(store_backup_protected_until(req->tx, req->project, &protected_ms));
    if (protected_ms > 0)
        return compliance_refusal(req, protected_ms);
    if (!is_authorized(req, before))
        return fail(req->arena, NOT_THE_AUTHORIZED_PERSON, V(json_str(json_object_get(before, "authorizedEmail"))));
    TRY(store_resource_delete(req->tx, req->project, STR(COMPLIANCE_POLICY_KIND), current.id));
    TRY(request_event(req, EVENT_COMPLIANCE_POLICY_ENDED, before, NULL));
    answer_nothing(req);
    return OK;
}
