/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a seat. Its programs run as its user and read what root wrote for them; what they wrote root reads as what it
 * is, the word of somebody else.
 *
 *   <folder>/                              root:seat  0750
 *   pgbackrest.conf, push.conf             root:seat  0640   the repository's cipher pass and keys are in them
 *   receive.json, order.json, tls/…        root:seat  0640
 *   jobs.json, protected.json              root:root  0600   the agent's own memory
 *   repo/, wal/, aside/, spool/, state/    seat:seat  0700
 */
#ifndef AGENT_SEAT_SEAT_FILES_H
#define AGENT_SEAT_SEAT_FILES_H

#include "agent/seat/seat.h"

MUST_USE error seat_folders(struct seat_pass *pass);
/* `ret_changed` says that the receiver must be started anew. */
MUST_USE error seat_files(struct seat_pass *pass, bool *ret_changed);
/* Everything about the repository and, with members, how they are reached: for tests. */
str seat_config_text(struct arena *arena, const struct goal_seat *seat, str folder, bool with_members);

#endif
