/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key of a member whose project keeps keys of its own (docs/internals/keys.md). It encrypts the folder with the images of the member's volumes, and is on the
 * disk only as the project's key service has wrapped it. The service is asked again and again: who refuses takes it away.
 */
#ifndef AGENT_KEY_MEMBER_KEY_H
#define AGENT_KEY_MEMBER_KEY_H

#include "agent/key/folder_key.h"
#include "agent/state.h"
#include "base/net/kmip.h"
#include "wire/goal.h"

enum { MEMBER_KEY_WHY_BYTES = 512 };

/* What is remembered between passes. All zero when the agent starts. */
struct member_key_memory {
    int64_t asked_ms;               /* 0: not yet */
    char why[MEMBER_KEY_WHY_BYTES]; /* what is wrong, as it was seen last; empty: nothing */
    bool is_refused;                /* also while that cannot be written to the disk */
};

enum member_key_state {
    MEMBER_KEY_NONE, /* its project keeps no keys */
    MEMBER_KEY_OPEN, /* the kernel has it */
    MEMBER_KEY_SHUT, /* it was refused: nobody may read the member's data any more */
};

struct member_key {
    const struct state *state;
    id member;
    const struct goal_keys *service; /* without a host: none is known now, and that is no reason to go without */
};

/* Asks when it is time to. A problem: the kernel does not have it, and it cannot be had now. `ret_trouble`: it is open, and something is wrong. */
MUST_USE error member_key_keep(struct arena *arena, const struct member_key *key, struct member_key_memory *memory,
                               enum member_key_state *ret_state, error *ret_trouble);
/* The folder is new and empty: what is made in it is encrypted. Nothing for members without a key. */
MUST_USE error member_key_set(struct arena *arena, const struct state *state, id member, str folder);
/* Away from the kernel. What is mounted of the member is not any more. */
MUST_USE error member_key_take(struct arena *arena, const struct state *state, id member);
/* For ever, on this host: also as it was wrapped, as far as the disk forgets what is overwritten. */
MUST_USE error member_key_drop(struct arena *arena, const struct state *state, id member);
bool member_key_is_known(struct arena *arena, const struct state *state, id member);
/* "<member id>=<name of the service's key that wraps it>", for the report. */
struct wire_texts member_key_names(struct arena *arena, const struct state *state, const struct goal *goal);

#endif
