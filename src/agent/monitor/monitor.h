/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements of a host's members (docs/internals/monitor.md): a thread for each member measures it every ten seconds into the spool, and a thread for each
 * store of the control plane sends from there. Neither waits for the other.
 *
 *   a thread a member ──lines──► spool on the disk ──batches──► a thread a store ──► control plane
 *
 * When the control plane has no store, nothing is measured and nothing is kept.
 */
#ifndef AGENT_MONITOR_MONITOR_H
#define AGENT_MONITOR_MONITOR_H

#include "agent/crew.h"
#include "engine/problem.h"

struct agent;

/* Before any thread. An error: members are looked after without being measured. */
MUST_USE error monitor_open(struct agent *agent, struct arena *arena);
/* The threads that send. */
bool monitor_start(struct agent *agent);
/* Under the agent's lock: those that measure, one for each member of the goal. */
void monitor_follow(struct agent *agent, const struct goal_changes *changes);

/* ---- For the threads ---- */
struct monitor;
/* Whether anybody wants points. */
bool monitor_is_on(struct monitor *monitor);
struct spool *monitor_spool(struct monitor *monitor);

/* ---- watcher.c ---- */
extern const struct crew_kind watchers_kind;
/* When a member is measured next: every ten seconds, at a moment of its own, so that hosts do not all do it at once. */
int64_t watcher_next_ms(id member, int64_t now_ms);

#endif
