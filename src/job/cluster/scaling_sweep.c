/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at clusters that change their size by themselves (docs/internals/scaling.md): each once a minute, those that wait for longest first, so many at a time and for so
 * long in a run. A cluster is taken before it is looked at, so that two workers do not look at one; and a change is ordered only while the cluster is as it was looked at.
 */
#include "base/clock.h"
#include "base/log.h"
#include "cluster/wanted.h"
#include "job/cluster/scaling.h"
#include "job/kinds.h"

enum {
    EVERY_S = 10,
    LEASE_S = 60,
    LOOK_MS = SCALING_MINUTE_MS - 5 * 1000, /* after a look, so that it comes once a minute although sweeps are late */
    AT_ONCE = 10,
    RUN_MS = 10 * 1000, /* other sweeps wait meanwhile; what is left is done in the next run, or a minute later */
    BATCH_BYTES = 256 * 1024 * 1024,
    CLUSTER_BYTES = 16 * 1024 * 1024,
};

static struct scaling_decision
say(enum scaling_finding finding, str reason)
{
    return (struct scaling_decision){ .verdict = SCALING_KEEP, .finding = finding, .reason = reason };
}

/* What is not settled is looked at when it is. */
static error
wait_until_settled(const struct scaling_look *look, const struct scaling_rules *rules)
{
    const str why = STR("The cluster is changing, or was until now; its load is looked at from here on.");
    struct scaling_decision decisions[SCALING_PARTS];
    decisions[SCALING_COMPUTE] = say(rules->compute ? SCALING_SETTLES : SCALING_OFF,
                                     rules->compute ? why : STR("Sizes are not changed automatically."));
    decisions[SCALING_DISK] = say(rules->disk ? SCALING_SETTLES : SCALING_OFF,
                                  rules->disk ? why : STR("The disk is not changed automatically."));
    return scaling_note(look, decisions, true);
}

static error
decide(const struct scaling_look *look, struct scaling_case *about)
{
    struct scaling_decision decisions[SCALING_PARTS];
    bool ordered = false;
    decisions[SCALING_COMPUTE] = scaling_decide_size(look->arena, about);
    decisions[SCALING_DISK] = scaling_decide_disk(look->arena, about);
    /* One step at a time; a full disk first. */
    for (int part = SCALING_PARTS - 1; part >= 0 && !ordered; part--) {
        if (decisions[part].verdict != SCALING_KEEP)
            TRY(scaling_order(look, part, &decisions[part], &ordered));
        if (ordered)
            log_line(LOG_INFO, "cluster_scaled", "Cluster %.*s: %.*s", STR_ARG(look->cluster->name),
                     STR_ARG(decisions[part].reason));
        else if (decisions[part].verdict != SCALING_KEEP)
            return OK; /* it has changed meanwhile, and is looked at again */
    }
    return ordered ? OK : scaling_note(look, decisions, false);
}

static error
look_at(const struct scaling_look *look, const struct scaled_member *members, size_t count)
{
    struct scaled_cluster *cluster = look->cluster;
    struct wanted wanted;
    if (!wanted_from_document(cluster->document, &wanted))
        return OK;
    struct scaling_case about = {
        .offer = look->offer,
        .rules = scaling_rules_read(cluster->document),
        .size = wanted.size,
        .disk_gb = wanted.disk_gb,
        .end_ms = scaling_end_ms(look->now_ms),
        .changed_ms = cluster->changed_ms,
        .may_shrink = !cluster->is_waiting,
        .member_count = count,
    };
    if (cluster->state != CLUSTER_IDLE || wanted.paused || cluster->is_busy || !str_eq(cluster->hash, cluster->seen) ||
        cluster->changed_ms > look->now_ms)
        return wait_until_settled(look, &about.rules);
    struct scaling_member *measured = ARENA_ARRAY(look->arena, struct scaling_member, count + 1);
    if (measured == NULL)
        return fail(look->arena, OVERLOADED);
    for (size_t i = 0; i < count; i++) {
        TRY(scaling_measure(look->context, cluster->project, members[i].id, about.end_ms, about.disk_gb, &measured[i]));
        measured[i].analytics = members[i].analytics;
    }
    about.members = measured;
    return decide(look, &about);
}

/* One that goes wrong keeps none of the others waiting, unless it would be the same for all. */
static error
look_at_all(struct sweep_context *context, const struct fleet_offer *offer, int64_t now_ms, int64_t until,
            struct scaled_cluster *clusters, size_t count, const struct scaled_member *members, size_t member_count)
{
    for (size_t i = 0; i < count && clock_steady_ms() < until; i++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(CLUSTER_BYTES);
        size_t from = 0, to;
        while (from < member_count && !id_eq(members[from].cluster, clusters[i].id))
            from++;
        for (to = from; to < member_count && id_eq(members[to].cluster, clusters[i].id); to++)
            ;
        struct scaling_look look = {
            .context = context, .arena = arena, .offer = offer, .cluster = &clusters[i], .now_ms = now_ms
        };
        if (arena == NULL)
            return fail(context->arena, OVERLOADED);
        error problem = look_at(&look, members + from, to - from);
        if (problem != OK && (problem->code == MEASUREMENTS_UNAVAILABLE || problem->code == DATABASE_UNAVAILABLE))
            return failure_new(context->arena, problem->code, problem->parameter_count, problem->parameters);
        if (problem != OK)
            log_line(LOG_WARNING, "scaling_failed", "Cluster %.*s: %.*s", STR_ARG(clusters[i].name),
                     STR_ARG(problem->detail));
    }
    return OK;
}

static error
look_at_batch(struct sweep_context *context, struct arena *arena, int64_t now_ms, int64_t until, size_t *ret_count)
{
    struct scaled_cluster *clusters;
    struct scaled_member *members;
    struct fleet_offer *offer;
    size_t member_count;
    TRY(store_scaling_due(context->store, arena, now_ms - LOOK_MS, AT_ONCE, &clusters, ret_count));
    if (*ret_count == 0)
        return OK;
    size_t count = *ret_count;
    {
        struct tx *tx CLEANUP(tx_cleanup) = NULL;
        TRY(tx_begin_service(context->store, arena, &tx));
        TRY(store_scaling_claim(tx, now_ms, now_ms - LOOK_MS, clusters, &count));
        TRY(tx_commit(tx));
    }
    TRY(store_scaling_members(context->store, arena, clusters, count, &members, &member_count));
    TRY(store_fleet_offer(context->store, arena, &offer));
    return look_at_all(context, offer, now_ms, until, clusters, count, members, member_count);
}

static error
look(struct sweep_context *context)
{
    int64_t until = clock_steady_ms() + RUN_MS;
    size_t count;
    do {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(BATCH_BYTES);
        int64_t now_ms = context->environment->now_ms != NULL ? context->environment->now_ms() : clock_now_ms();
        if (arena == NULL)
            return fail(context->arena, OVERLOADED);
        struct sweep_context own = { context->store, arena, context->environment };
        error problem = look_at_batch(&own, arena, now_ms, until, &count);
        if (problem != OK)
            return failure_new(context->arena, problem->code, problem->parameter_count, problem->parameters);
    } while (count == AT_ONCE && clock_steady_ms() < until);
    return OK;
}

const struct sweep cluster_scaling_sweep = {
    .name = "cluster-scaling",
    .doc = "Changes the size of clusters that follow their load by themselves.",
    .every_s = EVERY_S,
    .lease_s = LEASE_S,
    .run = look,
};
