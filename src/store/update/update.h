/* SPDX-License-Identifier: Apache-2.0 */
/* Rollouts of a new minor version over the fleet: what an operator asked for, and how far each cluster is (docs/internals/updates.md). */
#ifndef STORE_UPDATE_UPDATE_H
#define STORE_UPDATE_UPDATE_H

#include "store/store.h"

/* ---- Operators; in transactions of the service ---- */
enum update_begun { UPDATE_BEGUN, UPDATE_OTHER_RUNS, UPDATE_NOTHING_TO_DO, UPDATE_UNKNOWN_WORD };
/* `wish` is the request, a JSON object. *ret_word is the one that means no cluster. */
MUST_USE error store_update_begin(struct tx *tx, id update, str operator_name, str wish, enum update_begun *ret_begun,
                                  str *ret_word);
MUST_USE error store_update_set_job(struct tx *tx, id update, id job);
/* As operators see it, inside the transaction; empty: there is none. */
MUST_USE error store_update_document(struct tx *tx, id update, str *ret_document);
/* The same outside of one. */
MUST_USE error store_update_read(struct store *store, struct arena *arena, id update, str *ret_document);

enum update_decision { UPDATE_DECIDED, UPDATE_GONE, UPDATE_REFUSED };
/* Stops it, or goes on with it: then what failed is tried again, or left out. */
MUST_USE error store_update_decide(struct tx *tx, id update, bool goes_on, bool skip_failed,
                                   enum update_decision *ret_decision);

/* ---- The job of a rollout; in transactions of the service ---- */
struct update_view {
    bool is_running; /* nobody and nothing stopped it */
    str problem;     /* why it was stopped; empty: an operator did */
    int64_t left, done;
};
/* Adds jobs of this kind for clusters that have none, and wakes as many as may begin. */
MUST_USE error store_update_advance(struct tx *tx, id update, bool is_canary, str kind, str first_step, int step_count,
                                    struct update_view *ret_view);
MUST_USE error store_update_done(struct tx *tx, id update);

/* ---- The job of a cluster; in transactions of its organization ---- */
enum update_gate { GATE_GO, GATE_FULL, GATE_LATER, GATE_OVER };
/* With the cluster locked. Without `may_begin` it is never GATE_GO. GATE_OVER: there is nothing to do for it; why is written down. */
MUST_USE error store_update_gate(struct tx *tx, id update, id cluster, bool may_begin, enum update_gate *ret_gate);

struct update_note {
    int64_t members_done, goal; /* -1: as it was */
    const char *state;          /* "DONE" or "FAILED"; NULL: still under way */
    str problem;
};
#define UPDATE_NOTE_NOTHING ((struct update_note){ .members_done = -1, .goal = -1 })
struct update_row {
    bool is_running; /* else the rest is not known */
    str version;     /* that its servers should run */
    int64_t goal, idle_s, patience_s;
};
MUST_USE error store_update_note(struct tx *tx, id update, id cluster, struct update_note note,
                                 struct update_row *ret_row);

#endif
