/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a decision: a change like one that a person asks for, and events that say why it came, or did not. */
#include "base/date.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "cluster/member.h"
#include "cluster/part.h"
#include "cluster/state.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/scaling.h"
#include "store/event/event.h"
#include "store/policy/policy.h"

enum {
    TELL_AGAIN_MS = 60 * SCALING_MINUTE_MS, /* what was not so for so long is told anew */
    STILL_MS = 10 * SCALING_MINUTE_MS,      /* how often it is noted that it still is */
};

const char *const scaling_part_names[SCALING_PARTS] = { [SCALING_COMPUTE] = "compute", [SCALING_DISK] = "disk" };

/* Of which event each part's findings are; none: nobody is told. */
static bool
find_event(enum scaling_part part, enum scaling_finding finding, enum event_type *ret_type)
{
    static const struct {
        enum scaling_finding finding;
        enum event_type types[SCALING_PARTS];
    } rows[] = {
        { SCALING_AT_MAXIMUM, { EVENT_COMPUTE_AT_MAXIMUM, EVENT_COMPUTE_AT_MAXIMUM } },
        { SCALING_DISK_AT_MAXIMUM, { EVENT_DISK_AT_MAXIMUM, EVENT_DISK_AT_MAXIMUM } },
        { SCALING_NO_ROOM, { EVENT_COMPUTE_NO_CAPACITY, EVENT_DISK_NO_CAPACITY } },
        { SCALING_FORBIDDEN, { EVENT_COMPUTE_FORBIDDEN, EVENT_DISK_FORBIDDEN } },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (rows[i].finding == finding) {
            *ret_type = rows[i].types[part];
            return true;
        }
    }
    return false;
}

/* ---- Events ---- */
static json_t *
describe(const struct scaling_look *look, const struct scaling_decision *decision, str from_size, int64_t from_gb)
{
    json_t *about =
        json_in(look->arena, json_pack("{s:s, s:s, s:s, s:{s:s, s:I}, s:{s:s, s:I}}", "id",
                                       id_text(look->arena, look->cluster->id).data, "name", look->cluster->name.data,
                                       "reason", decision->reason.data, "from", "instanceSize", from_size.data,
                                       "diskSizeGB", (json_int_t)from_gb, "to", "instanceSize", decision->size.data,
                                       "diskSizeGB", (json_int_t)decision->disk_gb));
    /* Tenths are enough to compare it with the limit. */
    if (about != NULL && decision->what != NULL)
        json_object_set_new(about, "measured",
                            json_pack("{s:s, s:f, s:f, s:i}", "what", decision->what, "percent",
                                      (double)(int64_t)(decision->percent * 10 + 0.5) / 10, "limitPercent",
                                      decision->limit, "minutes", decision->minutes));
    return about;
}

static error
add_event(const struct scaling_look *look, struct tx *tx, enum event_type type, const json_t *before,
          const json_t *after)
{
    struct event_draft event = { .type = type,
                                 .organization = look->cluster->organization,
                                 .project = look->cluster->project,
                                 .cluster = look->cluster->name,
                                 .before = before,
                                 .after = after };
    return store_event_add_by_worker(tx, &event);
}

/* ---- What was found ---- */
/* Figures change every minute; what is shown is that of the moment since when it is so. */
static bool
find_out(const struct scaling_look *look, enum scaling_part part, const struct scaling_decision *decision)
{
    const char *name = scaling_part_names[part], *finding = scaling_finding_names[decision->finding];
    const json_t *before = json_object_get(look->cluster->found, name);
    if (before != NULL && decision->verdict == SCALING_KEEP && str_is(json_text_at(before, "finding"), finding))
        return false;
    json_object_set_new(look->cluster->found, name,
                        json_pack("{s:s, s:s, s:s}", "finding", finding, "reason", decision->reason.data, "since",
                                  date_text(look->arena, look->now_ms).data));
    return true;
}

/* Whether what keeps a change back is to be told now. *ret_is_noted: whether the note of it is another one. */
static bool
is_news(const struct scaling_look *look, enum event_type type, bool *ret_is_noted)
{
    const char *name = event_rows[type].name;
    const json_t *told = json_object_get(look->cluster->told, name);
    int64_t told_ms = json_integer_value(told);
    bool is_old = told == NULL || look->now_ms - told_ms > TELL_AGAIN_MS || told_ms > look->now_ms;
    if (is_old || look->now_ms - told_ms > STILL_MS) {
        json_object_set_new(look->cluster->told, name, json_integer(look->now_ms));
        *ret_is_noted = true;
    }
    return is_old;
}

error
scaling_note(const struct scaling_look *look, const struct scaling_decision decisions[SCALING_PARTS], bool is_changed)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct scaled_cluster *cluster = look->cluster;
    struct wanted wanted = { 0 };
    bool is_new = is_changed, is_told[SCALING_PARTS] = { false };
    enum event_type types[SCALING_PARTS];
    for (int part = 0; part < SCALING_PARTS; part++) {
        if (find_out(look, part, &decisions[part]))
            is_new = true;
        is_told[part] = find_event(part, decisions[part].finding, &types[part]) && is_news(look, types[part], &is_new);
    }
    if (!is_new)
        return OK;
    if (is_changed) {
        cluster->changed_ms = look->now_ms;
        cluster->seen = cluster->hash;
    }
    TRY(tx_begin(look->context->store, look->arena, cluster->organization, &tx));
    failpoint("scaling:note:before-effect");
    TRY(store_scaling_note(tx, cluster));
    for (int part = 0; part < SCALING_PARTS; part++) {
        if (!is_told[part] || !wanted_from_document(cluster->document, &wanted))
            continue;
        TRY(add_event(look, tx, types[part], NULL, describe(look, &decisions[part], wanted.size, wanted.disk_gb)));
    }
    failpoint("scaling:note:after-effect");
    return tx_commit(tx);
}

/* ---- Orders ---- */
/* Whether nothing happened to the cluster since it was looked at, and nothing is under way. */
static error
check_same(const struct scaling_look *look, struct tx *tx, const struct cluster *cluster, bool *ret_is_same)
{
    struct cluster_part outage;
    bool found;
    int64_t unfinished;
    *ret_is_same = false;
    if (cluster->state != CLUSTER_IDLE || json_is_true(json_object_get(cluster->document, "paused")) ||
        !json_equal(json_object_get(cluster->document, "replicationSpecs"),
                    json_object_get(look->cluster->document, "replicationSpecs")))
        return OK;
    TRY(store_cluster_unfinished_jobs(tx, cluster, cluster->id, &unfinished));
    TRY(store_part_lock(tx, cluster->project, STR(OUTAGE_KIND), cluster->name, &found, &outage));
    *ret_is_same = unfinished == 0 && (!found || outage_is_over(&outage));
    return OK;
}

static struct scaling_decision
held_back(const struct scaling_decision *decision, enum scaling_finding finding, str reason)
{
    struct scaling_decision held = *decision;
    held.verdict = SCALING_KEEP;
    held.finding = finding;
    held.reason = reason;
    return held;
}

/* A resource policy is asked as it is for a person's change. */
static error
check_policies(const struct scaling_look *look, struct tx *tx, const struct cluster *cluster, const json_t *document,
               struct scaling_decision *decision, bool *ret_may)
{
    struct policy_verdict verdict;
    json_t *documents = json_in(look->arena, json_pack("[O]", document));
    TRY(store_policy_judge(tx, cluster->organization, cluster->kind, json_text(look->arena, documents), &verdict));
    *ret_may = !verdict.forbidden;
    if (verdict.forbidden)
        *decision = held_back(decision, SCALING_FORBIDDEN,
                              str_format(look->arena, "%.*s The resource policy %.*s forbids it.",
                                         STR_ARG(decision->reason), STR_ARG(verdict.name)));
    return OK;
}

static error
make_room(const struct scaling_look *look, struct tx *tx, const struct cluster *cluster,
          struct scaling_decision *decision, bool *ret_may)
{
    struct wanted wanted;
    const struct wanted_group *full;
    if (!wanted_from_document(cluster->document, &wanted))
        return fail(look->arena, INTERNAL_ERROR);
    TRY(members_make_room(tx, look->offer, cluster, &wanted, &full));
    *ret_may = full == NULL;
    if (full != NULL)
        *decision = held_back(decision, SCALING_NO_ROOM,
                              str_format(look->arena, "%.*s No host in %.*s has room for it.",
                                         STR_ARG(decision->reason), STR_ARG(full->region)));
    return OK;
}

/* The rows of the change and its job, as cluster_try_update() makes them. */
static error
submit(const struct scaling_look *look, struct tx *tx, struct cluster *cluster, const json_t *document,
       struct scaling_decision *decision, bool *ret_may)
{
    enum cluster_state state;
    id job;
    *ret_may = false;
    if (!cluster_state_next(cluster->state, CAUSE_CHANGE, &state))
        return OK;
    TRY(check_policies(look, tx, cluster, document, decision, ret_may));
    if (!*ret_may)
        return OK;
    TRY(store_cluster_set(tx, cluster, document, state, false));
    TRY(make_room(look, tx, cluster, decision, ret_may));
    if (!*ret_may)
        return OK;
    return job_add(tx, &cluster_update_job,
                   (struct job_draft){ .organization = cluster->organization,
                                       .project = cluster->project,
                                       .subject = cluster->id,
                                       .subject_name = cluster->name,
                                       .generation = cluster->generation },
                   &job);
}

static error
show(struct tx *tx, const struct cluster *cluster, json_t **ret_shown)
{
    str shown;
    int64_t revision;
    TRY(store_cluster_document(tx, cluster, &shown, &revision));
    *ret_shown = json_parse_own(tx_arena(tx), shown);
    return *ret_shown == NULL ? fail(tx_arena(tx), OVERLOADED) : OK;
}

error
scaling_order(const struct scaling_look *look, enum scaling_part part, struct scaling_decision *decision,
              bool *ret_ordered)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct scaled_cluster *looked = look->cluster;
    struct cluster cluster;
    struct wanted was;
    json_t *before, *after;
    bool found, is_same, may;
    *ret_ordered = false;
    if (looked->is_locked) {
        *decision = held_back(decision, SCALING_FORBIDDEN,
                              str_format(look->arena, "%.*s The organization is locked.", STR_ARG(decision->reason)));
        return OK;
    }
    TRY(tx_begin(look->context->store, look->arena, looked->organization, &tx));
    TRY(store_cluster_lock_id(tx, looked->organization, looked->project, looked->id, &found, &cluster));
    if (!found || !wanted_from_document(cluster.document, &was))
        return OK;
    TRY(check_same(look, tx, &cluster, &is_same));
    if (!is_same)
        return OK;
    TRY(show(tx, &cluster, &before));
    failpoint("scaling:order:before-effect");
    json_t *document = scaling_document(look->arena, cluster.document, decision->size, decision->disk_gb);
    TRY(submit(look, tx, &cluster, document, decision, &may));
    if (!may)
        return OK; /* nothing of it stays */
    TRY(show(tx, &cluster, &after));
    (void)find_out(look, part, decision);
    looked->changed_ms = look->now_ms;
    TRY(store_scaling_note(tx, looked));
    TRY(add_event(look, tx, EVENT_CLUSTER_UPDATE_SUBMITTED, before, after));
    TRY(add_event(look, tx, part == SCALING_DISK ? EVENT_DISK_SCALED : EVENT_COMPUTE_SCALED, NULL,
                  describe(look, decision, was.size, was.disk_gb)));
    failpoint("scaling:order:after-effect");
    TRY(tx_commit(tx));
    failpoint("scaling:order:after-commit");
    *ret_ordered = true;
    return OK;
}
