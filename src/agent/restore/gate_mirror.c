/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/restore/gate_mirror.h"

#include <errno.h>
#include <sys/stat.h>

#include "agent/restore/gate_last.h"
#include "agent/seat/seat_store.h"
#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/store/mirror.h"

#define FOLDER "mirror"

enum { SAID_BYTES = 64 * 1024, MEMORY_MB = 1024 };

static const struct disk_owner root = { 0, 0 };

str
gate_mirror_unit(struct arena *arena, id gate)
{
    return str_format(arena, "reeve-gate-%s-mirror.service", id_text(arena, gate).data);
}

str
gate_mirror_copy(struct gate_pass *pass)
{
    return str_format(pass->arena, "%s/" FOLDER "/" MIRROR_COPY, pass->folder.data);
}

/* ---- Beginning ---- */
static json_t *
order_of(struct gate_pass *pass)
{
    return json_in(pass->arena, json_pack("{s:s, s:s, s:b}", "stanza", pass->seat->stanza.data, "label",
                                          pass->gate->label.data, "isExact", (int)pass->gate->is_exact));
}

/* What was copied for another order is not what is wanted now. */
static error
drop_other(struct gate_pass *pass)
{
    json_t *before = NULL, *order = order_of(pass);
    str text, folder = str_format(pass->arena, "%s/" FOLDER, pass->folder.data);
    if (!disk_below_read(pass->arena, pass->folder.data, FOLDER "/" DRILL_ORDER_FILE, SAID_BYTES, root.user, &text))
        return OK;
    if (order == NULL)
        return fail(pass->arena, OVERLOADED);
    if (json_parse_within(pass->arena, text, SAID_BYTES, &before) == OK && json_equal(before, order))
        return OK;
    TRY(unit_keep_down(pass->host->units, pass->arena, pass->unit.data)); /* it would go on with the files that go */
    return disk_remove_tree(folder.data)
               ? OK
               : problem(pass->arena, "%s cannot be removed: %s.", folder.data, strerror(errno));
}

static error
write_order(struct gate_pass *pass)
{
    json_t *order = order_of(pass);
    str text = order == NULL ? STR_EMPTY : json_text(pass->arena, order);
    return text.len > 0 && disk_below_replace(pass->folder.data, FOLDER "/" DRILL_ORDER_FILE, text, 0644, root)
               ? OK
               : problem(pass->arena, "%s/" FOLDER "/" DRILL_ORDER_FILE " cannot be written: %s.", pass->folder.data,
                         strerror(errno));
}

/* What was received last comes first: whatever is not among it any more is in the store by then. The order shows that it was copied. */
static error
prepare(struct gate_pass *pass)
{
    static const char *const folders[] = { FOLDER, FOLDER "/" MIRROR_COPY, FOLDER "/spool" };
    const struct disk_owner owner = { pass->user, (gid_t)pass->user };
    struct stat ignored;
    if (disk_below_look(pass->folder.data, FOLDER "/" DRILL_ORDER_FILE, &ignored))
        return OK;
    for (size_t i = 0; i < LENGTH(folders); i++) {
        if (!disk_below_make_folder(pass->folder.data, folders[i], 0700, owner))
            return problem(pass->arena, "%s/%s cannot be made: %s.", pass->folder.data, folders[i], strerror(errno));
    }
    if (pass->gate->last)
        TRY(gate_last_copy(pass));
    failpoint("agent:gate:mirror:before");
    return write_order(pass);
}

static error
start(struct gate_pass *pass)
{
    struct arena *arena = pass->arena;
    str unit = gate_mirror_unit(arena, pass->gate->id), state;
    const char *seat = pass->seat_folder.data, *folder = pass->folder.data;
    bool ignored = false;
    const struct unit_beside wish = {
        .description = str_format(arena, "copy of backups of %s for a restore", pass->seat->stanza.data),
        .user = users_name(arena, pass->user),
        .folder = pass->folder,
        .command = str_format(arena, "%s mirror --seat %s --folder %s/" FOLDER, pass->host->agent.data, seat, folder),
        .memory_mb = MEMORY_MB,
        .places = str_format(arena, "BindReadOnlyPaths=%s\nBindPaths=%s/" FOLDER "\n", seat, folder),
        .more = seat_store_lines(arena, pass->seat, pass->seat_folder),
    };
    TRY(unit_keep(pass->host->units, arena, unit.data, unit_text_beside(arena, &wish), false, &ignored));
    return unit_keep_up(pass->host->units, arena, unit.data, &state);
}

/* ---- How far it is ---- */
/* The word of the seat's user; NULL: it has not ended, or it was killed. */
static const json_t *
read_said(struct gate_pass *pass)
{
    str text;
    json_t *said = NULL;
    if (!disk_below_read(pass->arena, pass->folder.data, FOLDER "/" MIRROR_SAID_FILE, SAID_BYTES, pass->user, &text) ||
        json_parse_within(pass->arena, text, SAID_BYTES, &said) != OK)
        return NULL;
    return json_is_true(json_object_get(said, "isDone")) ? said : NULL;
}

error
gate_mirror_keep(struct gate_pass *pass, bool *ret_is_ready)
{
    str state;
    *ret_is_ready = false;
    if (pass->gate->label.len == 0)
        return problem(pass->arena,
                       "The control plane does not say which backup is wanted: it is older than this agent.");
    TRY(units_state(pass->host->units, pass->arena, gate_mirror_unit(pass->arena, pass->gate->id).data, &state));
    if (unit_is_up(state))
        return OK;
    TRY(drop_other(pass));
    const json_t *said = read_said(pass);
    if (said == NULL) {
        TRY(prepare(pass));
        return start(pass);
    }
    str why = json_str(json_object_get(said, "problem"));
    *ret_is_ready = why.len == 0;
    return why.len == 0 ? OK : problem(pass->arena, "%.*s", STR_ARG(drill_sentence(why)));
}
