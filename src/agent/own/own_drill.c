/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/own/own_drill.h"

#include "backup/snapshot_id.h"
#include "base/disk.h"

enum { HOUR_MS = 3600 * 1000, DAY_MS = 24 * HOUR_MS, BEGIN_HOUR = 4, LIMIT_SECONDS = 6 * 3600, ASSERTION_SECONDS = 60 };

struct goal_drill
own_drill(struct arena *arena, const struct goal_seat *seat, int64_t now_ms)
{
    int64_t day_ms = (now_ms - BEGIN_HOUR * HOUR_MS) / DAY_MS * DAY_MS;
    str number = str_format(arena, "drill %lld", (long long)seat->own.drills);
    return (struct goal_drill){ .id = snapshot_id_scheduled(arena, seat->cipher_pass, seat->stanza, day_ms, number),
                                .limit_seconds = LIMIT_SECONDS,
                                .assertion_seconds = ASSERTION_SECONDS };
}

str
own_drill_program(struct arena *arena, str agent)
{
    const char *end = strrchr(agent.data, '/');
    str path = end == NULL ? STR_EMPTY : str_format(arena, "%.*s/reeved", (int)(end - agent.data), agent.data);
    return path.len > 0 && disk_exists(path.data) ? path : STR_EMPTY;
}

void
own_drill_order(struct arena *arena, const struct goal_seat *seat, str agent, json_t *order)
{
    json_object_set_new(order, "superuser", json_string(seat->own.superuser.data));
    json_object_set_new(
        order, "controlPlane",
        json_pack("{s:s, s:s}", "program", own_drill_program(arena, agent).data, "database", seat->own.database.data));
}
