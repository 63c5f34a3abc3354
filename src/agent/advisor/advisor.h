/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that looks at what statements cost, every minute, and works out advice, every five: for one member of the host after the other, so that it never
 * takes more than one session of a server and one core. What it saw goes to the control plane; what could not be sent is tried again before it looks again.
 */
#ifndef AGENT_ADVISOR_ADVISOR_H
#define AGENT_ADVISOR_ADVISOR_H

void *advisor_run(void *agent);

#endif
