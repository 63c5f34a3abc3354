/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what backups need beside the databases as units. Everything may have been done already, or half of it. */
#ifndef AGENT_UNIT_KEEP_H
#define AGENT_UNIT_KEEP_H

#include "agent/units.h"

/* The file, as systemd has read it; `is_enabled` says whether it starts with the host. `ret_changed` is not touched when it was so already. */
MUST_USE error unit_keep(struct units *units, struct arena *arena, const char *unit, str text, bool is_enabled,
                         bool *ret_changed);
/* Running, if it is not; it is not waited for longer than until its program runs. */
MUST_USE error unit_keep_up(struct units *units, struct arena *arena, const char *unit, str *ret_state);
/* Not running, and not started with the host; the file stays. */
MUST_USE error unit_keep_down(struct units *units, struct arena *arena, const char *unit);
/* Nothing of it is left. */
MUST_USE error unit_drop(struct units *units, struct arena *arena, const char *unit);

/* active, activating or reloading. */
bool unit_is_up(str state);

#endif
