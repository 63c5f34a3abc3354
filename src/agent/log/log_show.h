/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent show-logs`: the server behind the door (base/net/log_door.h). It runs as a user of its own that can read the journal and
 * nothing else, lets in services of the fleet only, and shows lines of members' units only.
 */
#ifndef AGENT_LOG_LOG_SHOW_H
#define AGENT_LOG_LOG_SHOW_H

#include "base/error.h"

/* The folder has server.crt, server.key and authority.crt. Returns only when it cannot begin. */
error log_show_run(struct arena *arena, str folder);

#endif
