/* SPDX-License-Identifier: Apache-2.0 */
#include "no_systemd.h"

#include "agent/units.h"

error
units_state(struct units *units, struct arena *arena, const char *unit, str *ret_state)
{
    (void)units;
    (void)arena;
    (void)unit;
    *ret_state = STR("inactive");
    return OK;
}

error
units_start(struct units *units, struct arena *arena, const char *unit)
{
    (void)units;
    (void)arena;
    (void)unit;
    return no_systemd_start();
}

#define NOT_HERE(name)                                                     \
    error name(struct units *units, struct arena *arena, const char *unit) \
    {                                                                      \
        (void)units;                                                       \
        return problem(arena, #name " of %s", unit);                       \
    }
NOT_HERE(units_enable)
NOT_HERE(units_disable)
NOT_HERE(units_stop)
NOT_HERE(units_restart)
NOT_HERE(units_reload)

error
units_reread(struct units *units, struct arena *arena)
{
    (void)units;
    return problem(arena, "There is no systemd.");
}

void
units_forget(struct units *units, struct arena *arena, const char *unit)
{
    (void)units;
    (void)arena;
    (void)unit;
}
