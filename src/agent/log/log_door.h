/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the door open through which nodes read the logs of this host's members: its certificate, and the unit that answers. */
#ifndef AGENT_LOG_LOG_DOOR_H
#define AGENT_LOG_LOG_DOOR_H

void *log_door_run(void *agent); /* a thread */

#endif
