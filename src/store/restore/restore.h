/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores: from where they begin, what hosts are told, and what came of it. Transactions are those of the organization that both clusters belong to.
 * Rows are locked in the order job, target cluster, restore.
 */
#ifndef STORE_RESTORE_RESTORE_H
#define STORE_RESTORE_RESTORE_H

#include "store/store.h"

/* ---- What is wanted ---- */
enum restore_point { RESTORE_SNAPSHOT, RESTORE_TIME, RESTORE_LSN, RESTORE_LATEST };
extern const char *const restore_point_words[]; /* by the enum, NULL at the end */

struct restore_wish {
    enum restore_point point;
    id snapshot;       /* of RESTORE_SNAPSHOT */
    int64_t moment_ms; /* of RESTORE_TIME */
    str lsn;           /* of RESTORE_LSN */
};
/* With which backup it begins. */
struct restore_source {
    id seat;
    str stanza, label, major_version;
    int64_t timeline; /* 0: whichever is the latest */
    int64_t size_bytes;
    bool is_silent; /* nobody can read from there now */
};
/* The cluster that a path means, also one that is gone and has left backups; none when *ret_found is false. */
MUST_USE error store_backup_cluster(struct tx *tx, id project, str kind, str name, bool *ret_found, id *ret_cluster);
/* *ret_found is false when nothing reaches it; store_restore_nearest() says what would. */
MUST_USE error store_restore_find(struct tx *tx, id project, id cluster, const struct restore_wish *wish,
                                  bool *ret_found, struct restore_source *ret_source);
/* As a date, or as a place in WAL when that was wished for; empty: nothing can be restored. */
MUST_USE error store_restore_nearest(struct tx *tx, id project, id cluster, const struct restore_wish *wish,
                                     str *ret_nearest);

struct restore_draft {
    id id, organization, project, cluster;
    struct restore_wish wish;
    struct restore_source source;
    id target_project, target;
    str target_name;
};
/* CONCURRENT_CHANGE when another one into that cluster is not finished, or the seat is gone. */
MUST_USE error store_restore_add(struct tx *tx, const struct restore_draft *draft);

MUST_USE error store_restore_is_under_way(struct tx *tx, id organization, id target, bool *ret_is_under_way);

/* ---- What is shown ---- */
/* The forms of restore_json(). */
#define RESTORE_FORM        "backup"
#define RESTORE_FORM_LEGACY "legacy"
#define RESTORE_FORM_FLEX   "flex"

struct restore_place {
    id project, restore;
    str kind, cluster; /* of the source, and its name */
    str form;
};
/* Empty when there is none. */
MUST_USE error store_restore_document(struct tx *tx, const struct restore_place *place, str *ret_document,
                                      int64_t *ret_revision);
/* Its target, without a lock; none for a download. */
MUST_USE error store_restore_target(struct tx *tx, const struct restore_place *place, bool *ret_found,
                                    id *ret_target_project, id *ret_target);

/* ---- How it goes on ---- */
enum restore_state { RESTORE_IS_RUNNING, RESTORE_IS_UNDOING, RESTORE_IS_DONE, RESTORE_IS_FAILED, RESTORE_IS_CANCELLED };
extern const char *const restore_state_words[];
enum restore_phase { PHASE_NONE, PHASE_STOP, PHASE_BUILD, PHASE_UNDO, PHASE_CLEAN };
extern const char *const restore_phase_words[];

struct restore {
    id id, organization;
    enum restore_state state;
    enum restore_phase phase;
    str problem, gate_state, gate_problem; /* empty: none */
    id first, next_stanza;                 /* zero: none */
    bool has_gate, has_seat;
    bool keeps_before; /* there is something to go back to */
    bool is_restored;  /* the target accepts writes */
    bool is_cancelled;
};
MUST_USE error store_restore_lock(struct tx *tx, id organization, id restore, bool *ret_found,
                                  struct restore *ret_restore);
/* False when the host has no port left, or the seat is gone. */
MUST_USE error store_restore_open_gate(struct tx *tx, id restore, bool *ret_opened);
/*
 * Where it was going to be read from says nothing: when the same point can be read at another seat, it is from now on, and *ret_moved is true. Its gate has to
 * be opened then. Only before members were told anything.
 */
MUST_USE error store_restore_move(struct tx *tx, id organization, id restore, bool *ret_moved);
/* Tells members the phase, first member and keeps_before that are in the struct now. */
MUST_USE error store_restore_tell(struct tx *tx, const struct restore *restore);
/* *ret_turned is false when it is too late. */
MUST_USE error store_restore_turn_back(struct tx *tx, id organization, id restore, str problem, bool is_cancelled,
                                       bool *ret_turned);
MUST_USE error store_restore_reached(struct tx *tx, const struct restore *restore);
MUST_USE error store_restore_set_next(struct tx *tx, const struct restore *restore, id stanza);
/* `stays_stopped`: members are told their phase still. */
MUST_USE error store_restore_end(struct tx *tx, const struct restore *restore, enum restore_state state,
                                 bool stays_stopped);

/* What the agent of a member said. */
struct restore_member {
    id member;
    str phase, state, problem; /* empty: nothing */
    bool has_access;           /* users and access list are in force */
};
enum { RESTORE_MAX_MEMBERS = 100 };
MUST_USE error store_restore_members(struct tx *tx, id restore, size_t *ret_count,
                                     struct restore_member ret_members[RESTORE_MAX_MEMBERS]);

/* ---- For agents ---- */
/* What the certificate of a gate says. `scope` is empty when the host has no such gate. */
struct host_gate {
    id cluster;
    str scope, address;
};
MUST_USE error store_host_gate(struct store *store, struct arena *arena, id host, id restore,
                               struct host_gate *ret_gate);

#endif
