/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves the members of a cluster one after the other, without a coordinator: each agent knows only its own host, and
 * asks Patroni, which knows the whole cluster. Replicas go first, by their names; the leader hands over and goes last.
 * A member that has moved says so with a tag.
 */
#include "engine/postgres/postgres.h"

enum { ASK_MS = 5000 };

/* How long a member waits for those before it, whose hosts may have an older agent for days. All must be well in any case. */
enum { PATIENCE_MS = 5 * 60 * 1000 };

static bool
is_well(const json_t *member)
{
    str state = json_str(json_object_get(member, "state"));
    return str_is(state, "running") || str_is(state, "streaming");
}

static bool
is_leader(const json_t *member)
{
    str role = json_str(json_object_get(member, "role"));
    return str_is(role, "leader") || str_is(role, "master") || str_is(role, "primary");
}

/* To a system user of its own and, when the cluster has a user of etcd, to that: whatever is missing, it is started once more. */
static bool
has_moved(const struct engine_member *self, const json_t *member)
{
    const json_t *all = json_object_get(member, "tags");
    return json_is_true(json_object_get(all, OWN_USER_TAG)) &&
           (self->cluster->etcd.user.len == 0 || json_is_true(json_object_get(all, ETCD_USER_TAG)));
}

/* Everybody is there and well, with one leader. */
static error
check_health(struct engine_member *self, json_t *said)
{
    json_t *members = json_object_get(said, "members"), *one;
    size_t i, leaders = 0;
    json_array_foreach(members, i, one)
    {
        leaders += is_leader(one) ? 1 : 0;
        if (!is_well(one))
            return problem(self->arena, "%s is %s.", json_string_value(json_object_get(one, "name")),
                           json_string_value(json_object_get(one, "state")));
    }
    if (leaders != 1)
        return problem(self->arena, "The cluster has no leader.");
    if (json_array_size(members) != self->cluster->peers.count)
        return problem(self->arena, "%zu of %zu members are there.", json_array_size(members),
                       self->cluster->peers.count);
    if (json_is_true(json_object_get(said, "pause")))
        return problem(self->arena, "The cluster is in maintenance.");
    return OK;
}

/* A replica goes when those with a smaller name have gone; the leader when all have. */
static error
check_order(struct engine_member *self, json_t *members, bool leads)
{
    json_t *one;
    size_t i;
    json_array_foreach(members, i, one)
    {
        str name = json_str(json_object_get(one, "name"));
        bool is_self = str_eq(name, self->member->name);
        bool is_before = leads || (!is_leader(one) && strcmp(name.data, self->member->name.data) < 0);
        if (!is_self && is_before && !has_moved(self, one))
            return problem(self->arena, "%s comes first.", name.data);
    }
    return OK;
}

error
postgres_make_way(struct engine_member *self, int64_t waited_ms)
{
    struct answer answer;
    str detail = STR_EMPTY;
    bool leads = false;
    json_t *one;
    size_t i;
    if (self->cluster->peers.count <= 1)
        return OK;
    TRY(patroni_ask(self, "GET", "/cluster", STR_EMPTY, ASK_MS, &answer));
    json_t *said = json_parse_own(self->arena, answer.body), *members = json_object_get(said, "members");
    if (answer.status != 200 || !json_is_array(members))
        return problem(self->arena, "Patroni of %s does not know its cluster.", self->member->name.data);
    TRY(check_health(self, said));
    json_array_foreach(members, i, one)
    {
        leads |= is_leader(one) && str_eq(json_str(json_object_get(one, "name")), self->member->name);
    }
    if (waited_ms < PATIENCE_MS)
        TRY(check_order(self, members, leads));
    if (!leads)
        return OK;
    if (patroni_switch_over(self, &detail) == OUTCOME_DONE)
        return OK;
    return problem(self->arena, "It hands over first%s%.*s", detail.len > 0 ? ": " : ".", STR_ARG(detail));
}
