/* SPDX-License-Identifier: Apache-2.0 */
/* The restored server, with settings of its own: nothing of how the source was set comes along. */
#ifndef ENGINE_POSTGRES_DRILL_DRILL_SERVER_H
#define ENGINE_POSTGRES_DRILL_DRILL_SERVER_H

#include <sys/types.h>

#include "engine/problem.h"

struct drill_server {
    struct arena *arena;
    str folder, major_version;
    const char *superuser; /* NULL: ours */
    bool is_of_backup;     /* nothing that was written after the backup is replayed */
    pid_t process;         /* 0: it does not run */
};

/* Replays everything that is in wal/, and is ready for questions afterwards. */
MUST_USE error drill_server_start(struct drill_server *server);
/* Where the end of WAL was for it ("0/5000148"); empty: it does not say. */
str drill_server_reached(struct drill_server *server);
/* In order, so that its checksums can be looked at; by force when it does not. */
MUST_USE error drill_server_stop(struct drill_server *server);

#endif
