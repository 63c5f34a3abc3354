/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a goal that are about restores (docs/internals/backups.md): the gates of a repository host, through which
 * members of one cluster read one stanza, and what members of a cluster that is restored have to do.
 */
#ifndef WIRE_GOAL_RESTORE_H
#define WIRE_GOAL_RESTORE_H

#include "base/id.h"
#include "wire/shape.h"

enum { GOAL_MAX_GATES = 256, GOAL_MAX_GATE_CLIENTS = 64 };

struct goal_gate_client {
    str name;    /* in its certificate */
    str address; /* of its host */
};
struct goal_gate_clients {
    size_t count;
    struct goal_gate_client *items;
};
struct goal_gate {
    id id; /* the restore's */
    id seat, cluster;
    int64_t port;
    str authority; /* PEM, of the cluster that is restored into */
    struct goal_gate_clients clients;
    str label;     /* of the backup that it begins with */
    bool is_exact; /* nothing that was written after it is wanted */
    bool last;     /* whether it also serves what was received and is not in the repository yet */
};
struct goal_gates {
    size_t count;
    struct goal_gate *items;
};
extern const struct wire_shape goal_gate_shape;

enum goal_restore_phase { RESTORE_STOP, RESTORE_BUILD, RESTORE_UNDO, RESTORE_CLEAN };
extern const char *const goal_restore_phase_words[]; /* by the enum; NULL at the end */
enum goal_point_kind { POINT_SNAPSHOT, POINT_TIME, POINT_LSN, POINT_LATEST };
extern const char *const goal_point_kind_words[];

struct goal_restore_gate {
    str address;
    int64_t port;
    str name; /* in its certificate */
};
struct goal_point { /* what is restored to */
    str kind_text;
    enum goal_point_kind kind;
    str label;        /* of the backup to begin from */
    str time;         /* POINT_TIME */
    str lsn;          /* POINT_LSN */
    int64_t timeline; /* 0: the last one */
    str end_lsn;      /* how far the gate brings somebody; empty: it does not say */
};
struct goal_restore { /* of a cluster */
    id id;            /* none: it is not being restored */
    str phase_text;
    enum goal_restore_phase phase;
    id first; /* the member that is restored; the others follow it */
    str stanza, major_version;
    struct goal_restore_gate gate;
    struct goal_point point;
};
extern const struct wire_shape goal_restore_shape;

/* What types and bounds do not say. `index` is the place in the document. */
MUST_USE error goal_gate_check(struct arena *arena, const struct goal_gate *gate, size_t index);
MUST_USE error goal_restore_check(struct arena *arena, struct goal_restore *restore, size_t index);

#endif
