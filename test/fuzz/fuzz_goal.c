/* SPDX-License-Identifier: Apache-2.0 */
/* The goal: whatever arrives, it is refused with a sentence or read into something that is equal to itself. */
#include "fuzz.h"

#include "wire/goal_diff.h"

/* Inputs are short, so each is tried as a whole document, and as the lists of one that is otherwise whole. */
static void
try_document(str text)
{
    struct arena *arena = arena_new(1 << 22);
    struct goal goal, again;
    struct goal_changes changes;
    error why = goal_parse(arena, text, &goal);
    if (why != OK) {
        must_be_presentable(arena, why);
    } else {
        MUST(goal_parse(arena, text, &again) == OK);
        MUST(goal_diff(arena, &goal, &again, &changes) == OK);
        MUST(changes.count == 0 && !changes.everything);
        for (size_t i = 0; i < goal.members.count; i++) {
            MUST(goal_find_member(&goal, goal.members.items[i].id) == &goal.members.items[i]);
            MUST(goal_find_cluster(&goal, goal.members.items[i].cluster) != NULL);
        }
    }
    arena_free(arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(1 << 20);
    try_document(input(data, size));
    try_document(str_format(
        arena,
        "{\"version\":1,\"epoch\":1,\"hostId\":\"0000000000000000000000d1\",\"etcd\":[],\"authority\":\"\",%.*s}",
        (int)size, (const char *)data));
    arena_free(arena);
    return 0;
}
