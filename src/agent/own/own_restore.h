/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings the control plane's own database back (docs/internals/own-database.md). Nothing is needed but the folder of its seat, or a copy of that, its
 * passphrase and pgBackRest: no agent runs, and no control plane. What comes out is a folder that PostgreSQL can be started with, on any machine: the
 * WAL that it has to replay is in it.
 */
#ifndef AGENT_OWN_OWN_RESTORE_H
#define AGENT_OWN_OWN_RESTORE_H

#include "engine/problem.h"

struct own_restore {
    str from;       /* the folder of the seat */
    str passphrase; /* empty: that of the folder's own configuration */
    str into;       /* is made */
    int64_t to_ms;  /* negative: everything that there is */
};
struct own_restored {
    str label, major_version;
    int64_t backup_ms;
};

MUST_USE error own_restore(struct arena *arena, const struct own_restore *wish, struct own_restored *ret_restored);

#endif
