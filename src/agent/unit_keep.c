/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/unit_keep.h"

#include <errno.h>

#include "agent/state.h"
#include "base/disk.h"
#include "base/failpoint.h"

static const struct disk_owner root = { 0, 0 };

static str
path_of(struct arena *arena, const char *unit)
{
    return str_format(arena, UNITS_FOLDER "/%s", unit);
}

static bool
starts_with_host(struct arena *arena, const char *unit)
{
    return disk_exists(str_format(arena, UNITS_FOLDER "/multi-user.target.wants/%s", unit).data);
}

error
unit_keep(struct units *units, struct arena *arena, const char *unit, str text, bool is_enabled, bool *ret_changed)
{
    bool changed = false;
    if (text.len == 0)
        return fail(arena, OVERLOADED);
    failpoint("agent:unit:write:before");
    if (!disk_keep(arena, path_of(arena, unit).data, text, 0644, root, &changed))
        return problem(arena, "%s cannot be written: %s.", path_of(arena, unit).data, strerror(errno));
    failpoint("agent:unit:write:after");
    if (is_enabled && !starts_with_host(arena, unit)) {
        TRY(units_enable(units, arena, unit));
        changed = true;
    }
    if (!changed)
        return OK;
    failpoint("agent:unit:reread:before");
    *ret_changed = true;
    return units_reread(units, arena);
}

bool
unit_is_up(str state)
{
    return str_is(state, "active") || str_is(state, "activating") || str_is(state, "reloading");
}

error
unit_keep_up(struct units *units, struct arena *arena, const char *unit, str *ret_state)
{
    TRY(units_state(units, arena, unit, ret_state));
    if (unit_is_up(*ret_state))
        return OK;
    if (str_is(*ret_state, "absent")) /* an agent was killed before systemd had read the file */
        TRY(units_reread(units, arena));
    failpoint("agent:unit:start:before");
    TRY(units_start(units, arena, unit));
    failpoint("agent:unit:start:after");
    return units_state(units, arena, unit, ret_state);
}

error
unit_keep_down(struct units *units, struct arena *arena, const char *unit)
{
    str state;
    if (starts_with_host(arena, unit)) {
        TRY(units_disable(units, arena, unit));
        TRY(units_reread(units, arena));
    }
    TRY(units_state(units, arena, unit, &state));
    if (!unit_is_up(state) && !str_is(state, "deactivating"))
        return OK;
    failpoint("agent:unit:stop:before");
    return units_stop(units, arena, unit);
}

error
unit_drop(struct units *units, struct arena *arena, const char *unit)
{
    str path = path_of(arena, unit);
    if (!disk_exists(path.data)) /* the last thing that goes, so nobody is asked about what never was */
        return OK;
    TRY(unit_keep_down(units, arena, unit));
    failpoint("agent:unit:remove:before");
    units_forget(units, arena, unit);
    if (!disk_remove(path.data))
        return problem(arena, "%s cannot be removed: %s.", path.data, strerror(errno));
    return units_reread(units, arena);
}
