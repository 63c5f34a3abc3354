/* SPDX-License-Identifier: Apache-2.0 */
/* What `reeve-agent receive` and `reeve-agent keep` are told: files in the folder of a seat that root writes and they read. */
#ifndef ENGINE_POSTGRES_BACKUP_RECEIVE_CONFIG_H
#define ENGINE_POSTGRES_BACKUP_RECEIVE_CONFIG_H

#include "engine/problem.h"

/* Below the folder of a seat; agent/seat/seat_files.h says who owns what. */
#define SEAT_RECEIVE_FILE  "receive.json"
#define SEAT_ORDER_FILE    "order.json"
#define SEAT_PUSH_CONFIG   "push.conf"       /* of pgBackRest: knows the repository, and no members */
#define SEAT_PULL_CONFIG   "pgbackrest.conf" /* and the members, too */
#define SEAT_WAL           "wal"
#define SEAT_ASIDE         "aside"
#define SEAT_STATE_FILE    "state/wal.json"      /* written every second, for the agent */
#define SEAT_MEMORY_FILE   "state/spans.json"    /* survives a crash */
#define SEAT_KEPT_FILE     "state/kept.json"     /* what the last order came to */
#define SEAT_COPY          "copy/data"           /* what pg_basebackup has copied of the control plane's own database */
#define SEAT_VERIFIED_FILE "state/verified.json" /* what was damaged when everything was read last */

enum { RECEIVE_MOST_MEMBERS = 64 };

struct receive_member {
    str name, address;
    int port;
};
struct receive_config {
    str folder, stanza, slot;
    str connection; /* of libpq, to the control plane's own database (docs/internals/own-database.md); empty: to the members */
    size_t member_count;
    struct receive_member members[RECEIVE_MOST_MEMBERS];
};

MUST_USE error receive_config_read(struct arena *arena, str folder, struct receive_config *ret_config);
/*
 * Of libpq, without a secret in it: keys are named by their files. `member` is one of them, or negative: whichever is
 * the primary.
 */
str receive_conninfo(struct arena *arena, const struct receive_config *config, int member);

#endif
