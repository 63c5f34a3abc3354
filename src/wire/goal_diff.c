/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/goal_diff.h"

/* Elements of one part, sorted by the id that they begin with. */
struct sorted {
    const char *items;
    size_t count;
};

static int
compare(const char *a, const char *b)
{
    return memcmp(a, b, sizeof(id));
}

static void
note(struct goal_changes *changes, enum goal_part part, enum goal_change_kind kind, const char *item)
{
    struct goal_change *change = &changes->items[changes->count++];
    *change = (struct goal_change){ .part = part, .kind = kind };
    memcpy(&change->id, item, sizeof(change->id));
}

/* Two sorted lists, walked together. */
static void
diff_part(struct goal_changes *changes, enum goal_part part, const struct wire_shape *shape, struct sorted before,
          struct sorted after)
{
    size_t b = 0, a = 0, size = shape->size;
    while (b < before.count || a < after.count) {
        const char *old = b == before.count ? NULL : before.items + b * size;
        const char *new = a == after.count ? NULL : after.items + a *size;
        int order = old == NULL ? 1 : new == NULL ? -1 : compare(old, new);
        if (order < 0) {
            note(changes, part, CHANGE_GONE, old);
            b++;
        } else if (order > 0) {
            note(changes, part, CHANGE_ADDED, new);
            a++;
        } else {
            if (!wire_equal(shape, old, new))
                note(changes, part, CHANGE_ALTERED, new);
            b++;
            a++;
        }
    }
}

static bool
is_other_ground(const struct goal *before, const struct goal *after)
{
    if (!str_eq(before->authority, after->authority) || before->etcd.count != after->etcd.count)
        return true;
    for (size_t i = 0; i < after->etcd.count; i++) {
        if (!str_eq(before->etcd.items[i], after->etcd.items[i]))
            return true;
    }
    return false;
}

#define SORTED(list) ((struct sorted){ (const char *)(list).items, (list).count })

error
goal_diff(struct arena *arena, const struct goal *before, const struct goal *after, struct goal_changes *ret_changes)
{
    static const struct goal nothing;
    const struct goal *old = before == NULL ? &nothing : before;
    size_t most = old->clusters.count + old->members.count + old->tasks.count + old->seats.count + old->gates.count +
                  after->clusters.count + after->members.count + after->tasks.count + after->seats.count +
                  after->gates.count;
    struct goal_changes changes = { .items = ARENA_ARRAY(arena, struct goal_change, most + 1),
                                    .everything = before == NULL || is_other_ground(before, after) };
    if (changes.items == NULL)
        return fail(arena, OVERLOADED);
    diff_part(&changes, PART_CLUSTER, &goal_cluster_shape, SORTED(old->clusters), SORTED(after->clusters));
    diff_part(&changes, PART_MEMBER, &goal_member_shape, SORTED(old->members), SORTED(after->members));
    diff_part(&changes, PART_TASK, &goal_task_shape, SORTED(old->tasks), SORTED(after->tasks));
    diff_part(&changes, PART_SEAT, &goal_seat_shape, SORTED(old->seats), SORTED(after->seats));
    diff_part(&changes, PART_GATE, &goal_gate_shape, SORTED(old->gates), SORTED(after->gates));
    *ret_changes = changes;
    return OK;
}
