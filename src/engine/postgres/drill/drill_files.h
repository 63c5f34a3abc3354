/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a drill (docs/internals/drills.md). Two programs work in it one after the other, as two users. What each says is the word
 * of somebody else: of the second even the tenant's, because whoever is superuser in a restored database runs what they like.
 *
 *   <folder>/          root       0711
 *   order.json         root       0644   what both are told
 *   data/, wal/        the seat, then the drill's own user
 *   said/, spool/      the seat   0700   fetched.json
 *   out/               the drill  0700   proved.json; conf/ and run/ of the server
 *
 * order.json:   {"stanza", "label", "from": first file of WAL, "majorVersion", "assertionSeconds", "assertions": [{"name", "database", "sql"}]};
 *               with "until", the last file of WAL, what comes back is the backup itself and nothing that was written after it;
 *               "segmentBytes": how large files of WAL are, where the backup says it; "superuser": who it is, where it is not ours;
 *               "controlPlane": {"program", "database"}: a control plane is started from it (own_rehearse.h)
 * fetched.json: {"phases": [{"name", "startedMs", "ms"}], "problem", "isDone", "segmentBytes", "timeline": that WAL leads to}
 * proved.json:  the same phases, with "recoveryPointMs", "endLsn": where WAL ended, "serverVersion", "dataBytes", "checks": [{"name", "database", "result", "sentence", "tables", "rows"}]
 */
#ifndef ENGINE_POSTGRES_DRILL_DRILL_FILES_H
#define ENGINE_POSTGRES_DRILL_DRILL_FILES_H

#include "base/json.h"
#include "engine/problem.h"

#define DRILL_ORDER_FILE   "order.json"
#define DRILL_FETCHED_FILE "said/fetched.json"
#define DRILL_PROVED_FILE  "out/proved.json"
#define DRILL_DATA         "data"
#define DRILL_WAL          "wal"

/* "/usr/lib/postgresql/17/bin/postgres" */
str drill_program(struct arena *arena, str major_version, const char *name);
/* Of the restored server, as the order says. */
const char *drill_superuser(const json_t *order);
MUST_USE error drill_order_read(struct arena *arena, str folder, json_t **ret_order);

/* No longer than a sentence is, and text: whatever a server of a tenant says. */
str drill_sentence(str text);

/* What is said on the way, so that somebody who looks sees how far it is. */
struct drill_story {
    struct arena *arena;
    str path;
    json_t *said;
    int64_t phase_began_ms; /* by the steady clock; 0: none goes on */
};
MUST_USE error drill_story_begin(struct arena *arena, str folder, const char *file, struct drill_story *ret_story);
/* The phase before has ended. */
MUST_USE error drill_story_phase(struct drill_story *story, const char *name);
/* What was added to `said` is to be seen. */
MUST_USE error drill_story_write(struct drill_story *story);
/* It has ended, with a sentence or well. */
MUST_USE error drill_story_end(struct drill_story *story, error why);

#endif
