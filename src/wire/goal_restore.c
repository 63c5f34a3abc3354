/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/goal_restore.h"

#include <stddef.h>

#include "base/date.h"
#include "wire/goal_check.h"
#include "wire/lsn.h"
#include "wire/plain_name.h"

enum { PEM_BYTES = 1024 * 1024, LABEL_BYTES = 64 };

// clang-format off
#define AT(type, member) offsetof(struct type, member)
#define R WIRE_REQUIRED

static const struct wire_field client_fields[] = {
    { "name",    WIRE_TEXT, R, AT(goal_gate_client, name),    .max = 128 },
    { "address", WIRE_TEXT, R, AT(goal_gate_client, address), .max = 64 },
};
static const struct wire_shape client_shape = WIRE_SHAPE(struct goal_gate_client, client_fields);

static const struct wire_field gate_fields[] = {
    { "id",        WIRE_ID,   R, AT(goal_gate, id) },
    { "seatId",    WIRE_ID,   R, AT(goal_gate, seat) },
    { "clusterId", WIRE_ID,   R, AT(goal_gate, cluster) },
    { "port",      WIRE_INT,  R, AT(goal_gate, port),      .min = 1, .max = 65535 },
    { "authority", WIRE_TEXT, R, AT(goal_gate, authority), .max = PEM_BYTES },
    { "clients",   WIRE_LIST, R, AT(goal_gate, clients),   .max = GOAL_MAX_GATE_CLIENTS, .of = &client_shape },
    { "label",     WIRE_TEXT, 0, AT(goal_gate, label),     .max = LABEL_BYTES },
    { "isExact",   WIRE_BOOL, 0, AT(goal_gate, is_exact) },
    { "last",      WIRE_BOOL, 0, AT(goal_gate, last) },
};
const struct wire_shape goal_gate_shape = WIRE_SHAPE(struct goal_gate, gate_fields);

static const struct wire_field restore_gate_fields[] = {
    { "address", WIRE_TEXT, R, AT(goal_restore_gate, address), .max = 64 },
    { "port",    WIRE_INT,  R, AT(goal_restore_gate, port),    .min = 1, .max = 65535 },
    { "name",    WIRE_TEXT, R, AT(goal_restore_gate, name),    .max = 128 },
};
static const struct wire_shape restore_gate_shape = WIRE_SHAPE(struct goal_restore_gate, restore_gate_fields);

static const struct wire_field point_fields[] = {
    { "kind",     WIRE_TEXT, R, AT(goal_point, kind_text), .max = 16 },
    { "label",    WIRE_TEXT, R, AT(goal_point, label),     .max = LABEL_BYTES },
    { "time",     WIRE_TEXT, 0, AT(goal_point, time),      .max = 64 },
    { "lsn",      WIRE_TEXT, 0, AT(goal_point, lsn),       .max = 32 },
    { "timeline", WIRE_INT,  0, AT(goal_point, timeline),  .max = INT32_MAX },
    { "endLsn",   WIRE_TEXT, 0, AT(goal_point, end_lsn),   .max = 32 },
};
static const struct wire_shape point_shape = WIRE_SHAPE(struct goal_point, point_fields);

static const struct wire_field restore_fields[] = {
    { "id",           WIRE_ID,     R, AT(goal_restore, id) },
    { "phase",        WIRE_TEXT,   R, AT(goal_restore, phase_text),    .max = 16 },
    { "first",        WIRE_ID,     R, AT(goal_restore, first) },
    { "stanza",       WIRE_TEXT,   R, AT(goal_restore, stanza),        .max = 128 },
    { "majorVersion", WIRE_TEXT,   R, AT(goal_restore, major_version), .max = 8 },
    { "gate",         WIRE_OBJECT, R, AT(goal_restore, gate),          .of = &restore_gate_shape },
    { "point",        WIRE_OBJECT, R, AT(goal_restore, point),         .of = &point_shape },
};
const struct wire_shape goal_restore_shape = WIRE_SHAPE(struct goal_restore, restore_fields);
// clang-format on

const char *const goal_restore_phase_words[] = { "STOP", "BUILD", "UNDO", "CLEAN", NULL };
const char *const goal_point_kind_words[] = { "SNAPSHOT", "TIME", "LSN", "LATEST", NULL };

error
goal_gate_check(struct arena *arena, const struct goal_gate *gate, size_t index)
{
    for (size_t i = 0; i < gate->clients.count; i++) {
        const struct goal_gate_client *client = &gate->clients.items[i];
        if (!plain_name(client->name) || !goal_is_address(client->address))
            return goal_wrong(arena, "gates", index, "clients", "a name or address that is none");
    }
    if (gate->label.len > 0 && !goal_is_label(gate->label))
        return goal_wrong(arena, "gates", index, "label", "a label of a backup is wanted");
    return OK;
}

static error
check_point(struct arena *arena, struct goal_point *point, size_t index)
{
    int64_t ignored;
    int kind = str_word(point->kind_text, goal_point_kind_words);
    if (kind < 0)
        return goal_wrong(arena, "clusters", index, "restore.point.kind", "SNAPSHOT, TIME, LSN or LATEST is wanted");
    point->kind = (enum goal_point_kind)kind;
    if (!goal_is_label(point->label))
        return goal_wrong(arena, "clusters", index, "restore.point.label", "a label of a backup is wanted");
    if (point->kind == POINT_TIME ? !date_parse(point->time, &ignored) : point->time.len > 0)
        return goal_wrong(arena, "clusters", index, "restore.point.time", "a time is wanted with TIME, and only then");
    if (point->kind == POINT_LSN ? !lsn_is_valid(point->lsn) : point->lsn.len > 0)
        return goal_wrong(arena, "clusters", index, "restore.point.lsn",
                          "a place in WAL is wanted with LSN, and only then");
    if (point->end_lsn.len > 0 && !lsn_is_valid(point->end_lsn))
        return goal_wrong(arena, "clusters", index, "restore.point.endLsn", "a place in WAL is wanted");
    return OK;
}

error
goal_restore_check(struct arena *arena, struct goal_restore *restore, size_t index)
{
    if (!id_is_there(restore->id))
        return OK;
    int phase = str_word(restore->phase_text, goal_restore_phase_words);
    if (phase < 0)
        return goal_wrong(arena, "clusters", index, "restore.phase", "STOP, BUILD, UNDO or CLEAN is wanted");
    restore->phase = (enum goal_restore_phase)phase;
    if (!plain_name(restore->stanza) || !plain_name(restore->major_version))
        return goal_wrong(arena, "clusters", index, "restore.stanza", "letters, digits and dashes are wanted");
    if (!plain_name(restore->gate.name) || !goal_is_address(restore->gate.address))
        return goal_wrong(arena, "clusters", index, "restore.gate", "a name or address that is none");
    return check_point(arena, &restore->point, index);
}
