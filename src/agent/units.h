/* SPDX-License-Identifier: Apache-2.0 */
/*
 * systemd over D-Bus. The agent starts nothing itself: systemd owns the processes, so they survive the agent and start
 * after a reboot without it. Thread safe.
 */
#ifndef AGENT_UNITS_H
#define AGENT_UNITS_H

#include "engine/problem.h"

struct units;

/* `on_change` is called from a thread of its own when something about a unit of ours changed. */
MUST_USE struct units *units_new(void (*on_change)(void *owner, const char *unit), void *owner);
void units_free(struct units *units);

/* active, inactive, failed, activating, deactivating …; absent when there is no such unit. */
MUST_USE error units_state(struct units *units, struct arena *arena, const char *unit, str *ret_state);

/* After unit files were written or removed. */
MUST_USE error units_reread(struct units *units, struct arena *arena);
MUST_USE error units_enable(struct units *units, struct arena *arena, const char *unit);
MUST_USE error units_disable(struct units *units, struct arena *arena, const char *unit);
/* These end when systemd's job has ended. Starting what runs and stopping what does not is fine. */
MUST_USE error units_start(struct units *units, struct arena *arena, const char *unit);
MUST_USE error units_stop(struct units *units, struct arena *arena, const char *unit);
/* Stopped and started, with what the unit file says by now. */
MUST_USE error units_restart(struct units *units, struct arena *arena, const char *unit);
/* The process that systemd started; 0: none runs. */
MUST_USE error units_main_process(struct units *units, struct arena *arena, const char *unit, uint32_t *ret_process);
/* Its ExecReload. */
MUST_USE error units_reload(struct units *units, struct arena *arena, const char *unit);
/* New limits for running processes; the unit file has them for the next start. */
MUST_USE error units_limit(struct units *units, struct arena *arena, const char *unit, uint64_t memory_bytes,
                           double cpus);
/* Resets its failed state, so that a removed unit leaves systemd's list. */
void units_forget(struct units *units, struct arena *arena, const char *unit);

#endif
