/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made of a backup beside its seat, for a while: drills, exports and downloads. It has a folder in the place of its kind, which shows that it is
 * under way; one drill or export at a time on a host. It goes in stages, each with a unit of its own. What is under way is in a file of the seat's folder before it begins, so the agent may be
 * killed anywhere; nothing is left of one that has ended, or that the goal does not name any more.
 *
 * The file: {"id", "stage", "attempts", "isOut": the unit of the stage was started, "startedMs", "stageMs": when the stage began, "state": of what it came to,
 *   "problem", "finishedMs"} and what the kind adds. The last two stages of drills and exports are "clear" and "done".
 */
#ifndef AGENT_SEAT_SEAT_SCRATCH_H
#define AGENT_SEAT_SEAT_SCRATCH_H

#include "agent/seat/seat_view.h"
#include "agent/unit_file.h"

#define SCRATCH_FETCH "fetch"
#define SCRATCH_CLEAR "clear"
#define SCRATCH_DONE  "done"

enum { SCRATCH_SPARE_MB = 512 /* what stays free on the disk, for the WAL of all clusters that are kept here */ };

struct scratch;
struct scratch_kind {
    const char *name;          /* "drill": of its units, its file and its failpoints */
    const char *noun;          /* "drill": for sentences */
    const char *place;         /* where its folders are */
    const char *const *stages; /* that have units, from the first on; NULL at the end */
    /* Before its user is given back, when none of its units runs any more; NULL: nothing is to be done. */
    error (*let_go)(struct scratch *scratch);
};
struct scratch {
    const struct scratch_kind *kind;
    struct seat_pass *pass;
    json_t *memory; /* NULL: nothing is under way */
    id id;
    str name, folder;
};

/* ---- Names ---- */
struct scratch scratch_of(const struct scratch_kind *kind, struct seat_pass *pass, id own, json_t *memory);
/* "reeve-drill-<seat>-fetch.service" */
str scratch_unit(struct arena *arena, const struct scratch_kind *kind, id seat, const char *stage);
bool scratch_has_unit(struct arena *arena, const struct scratch_kind *kind, id seat, const char *unit);

/* ---- Memory ---- */
/* What is under way; false when nothing is. */
bool scratch_read(const struct scratch_kind *kind, struct seat_pass *pass, json_t **ret_memory, id *ret_id);
/* At the first stage; the caller adds what is its own, and writes it. */
json_t *scratch_memory_new(struct scratch *scratch);
void scratch_set_text(struct scratch *scratch, const char *name, str value);
void scratch_set_number(struct scratch *scratch, const char *name, int64_t value);
MUST_USE error scratch_remember(struct scratch *scratch);
MUST_USE error scratch_go_to_stage(struct scratch *scratch, const char *stage);
/* What it came to. Told only when nothing is left of it. */
MUST_USE error scratch_end_with(struct scratch *scratch, const char *state, error why);
bool scratch_is_at(const struct scratch *scratch, const char *stage);

/* ---- Whether it can be run ---- */
int64_t scratch_free_mb(const struct scratch_kind *kind);
/* Whether the host has these programs of the cluster's version; NULL at the end of the list. */
MUST_USE error scratch_check_programs(struct seat_pass *pass, const char *const *names);
MUST_USE error scratch_check_room(const struct scratch *scratch, int64_t needed_mb);
/* Makes the folder of all; refuses when another one is under way. */
MUST_USE error scratch_check_turn(struct scratch *scratch);

/* ---- Stages ---- */
MUST_USE error scratch_remove_folders(struct scratch *scratch, const char *const *names);
MUST_USE error scratch_make_folders(struct scratch *scratch, const char *const *names, struct disk_owner owner);
MUST_USE error scratch_start_unit(struct scratch *scratch, const char *stage, const struct unit_beside *wish);
/* From nothing, however far an earlier attempt came: pgBackRest restores, as the seat's user (engine/postgres/drill/drill_fetch.h). */
MUST_USE error scratch_start_fetch(struct scratch *scratch, str order, int64_t limit_seconds);
/* What was restored gets an owner that has nothing else, before anything of it is run. */
MUST_USE error scratch_give_away(struct scratch *scratch, struct disk_owner *ret_owner);

/* ---- The end ---- */
/* Nothing is left of it but the file. In an order that can be begun again at any place. */
MUST_USE error scratch_clear(struct scratch *scratch);
/* Nor the file. */
MUST_USE error scratch_forget(struct scratch *scratch);
/* When the goal wants another one, or none: the one before goes. */
MUST_USE error scratch_forget_other(const struct scratch_kind *kind, struct seat_pass *pass, id wanted, bool *ret_went);

#endif
