/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent of a host: it learns the goal, makes it true and reports what it sees, for ever. It needs the control plane
 * only for new goals.
 *
 *   learner ──goal──► a thread a member ──what it saw──► reporter
 *                  └► a thread a task ───outcome──────►
 *
 * The state is in files and in systemd: an agent that is killed anywhere and started again continues from there.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/state.h"

struct agent_config {
    const struct state *state;
    const char *goal_file, *report_file; /* instead of a control plane; NULL: none */
};

enum agent_end {
    AGENT_STOPPED = 0, /* was asked to */
    AGENT_FAILED = 1,
    AGENT_STALE = 3, /* somebody joined as this host since */
};

/* Runs until a signal (TERM, INT) comes or it must stop. The databases keep running. */
enum agent_end agent_run(const struct agent_config *config);

#endif
