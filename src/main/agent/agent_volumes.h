/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve-agent volumes`: which disks members of this host get, and how full they are. */
#ifndef MAIN_AGENT_VOLUMES_H
#define MAIN_AGENT_VOLUMES_H

int command_volumes(int argc, char **argv);

#endif
