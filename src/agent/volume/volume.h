/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member's disk of its own: as large as its cluster says, and nobody else's. What is done here may have been done before, or half of it.
 *
 * A host says which kind its new members get (`reeve-agent volumes`). Members that were made in a plain folder keep it until they move to
 * another host.
 */
#ifndef AGENT_VOLUME_VOLUME_H
#define AGENT_VOLUME_VOLUME_H

#include "agent/state.h"
#include "agent/units.h"
#include "agent/volume/volume_plan.h"

enum volume_kind {
    VOLUMES_NONE, /* a folder: nothing bounds what a member writes */
    VOLUMES_FULL, /* images whose space is the host's no more from the start */
    VOLUMES_THIN, /* images that take what was written */
    VOLUMES_KINDS
};
extern const char *const volume_kind_words[VOLUMES_KINDS + 1]; /* none, full, thin, NULL */

enum volume_kind volume_kind_of_host(struct arena *arena, const struct state *state);
MUST_USE error volume_kind_set(struct arena *arena, const struct state *state, enum volume_kind kind);

/* What is remembered of a member's volumes between passes. All zero when the agent starts. */
struct volume_memory {
    int64_t bound_to_gb, bound_at_ms;
    enum volume_role role; /* as it was seen last */
    bool is_full;          /* nearly so */
    bool was_used_up[VOLUME_PARTS];
};

struct volume_wish {
    id member;
    int64_t disk_gb;
    gid_t group; /* of the member */
    enum volume_kind kind;
    const struct state *state;
};

/*
 * Made if the member is new here, mounted, bounded, and grown. `ret_has`: it has volumes, and does not live in a plain folder. That one could not be made larger is no
 * reason to leave its member alone: it is said in `ret_growth`.
 */
MUST_USE error volume_keep(struct units *units, struct arena *arena, const struct volume_wish *wish,
                           struct volume_memory *memory, bool *ret_has, error *ret_growth);
/* Whether new ones could stand beside those that it has. */
MUST_USE error volume_check_room(struct arena *arena, const struct volume_wish *wish);
/* A megabyte of the reserve, for what must be written on a disk that is full: who may connect, say. */
void volume_spare(struct arena *arena, id member);
/* Whether root mounted something at this place, which may lie in a folder where a member makes files: nobody else can have put that there. */
bool volume_is_mounted(struct arena *arena, str place);
/* What there is and what of it is used: at one place, and of both of a member. */
struct volume_space volume_space_at(str place);
void volume_spaces(struct arena *arena, id member, struct volume_space ret_spaces[VOLUME_PARTS]);
/* Whether it counts as full, in `memory`; the reserve becomes as large as it should be then. */
void volume_look(struct arena *arena, id member, struct volume_memory *memory);
/* Not mounted any more; its images stay. None of its processes may run. */
MUST_USE error volume_down(struct units *units, struct arena *arena, id member);
/* Nothing of it is left. */
MUST_USE error volume_drop(struct units *units, struct arena *arena, id member);

#endif
