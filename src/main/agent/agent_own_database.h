/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve-agent own-database`, with its own subcommands. */
#ifndef MAIN_AGENT_OWN_DATABASE_H
#define MAIN_AGENT_OWN_DATABASE_H

int command_own_database(int argc, char **argv);

#endif
