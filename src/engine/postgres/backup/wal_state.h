/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a receiver knows: which WAL is in the repository without a gap (spans), and up to which moment everything has been
 * received. The threads of a receiver share it; its lock is taken inside.
 */
#ifndef ENGINE_POSTGRES_BACKUP_WAL_STATE_H
#define ENGINE_POSTGRES_BACKUP_WAL_STATE_H

#include "engine/postgres/backup/wal_source.h"

struct wal_state;

/* Reads what an earlier life of the receiver has left. A file that cannot be read is an error: a gap would not be seen. */
MUST_USE error wal_state_open(struct arena *arena, str folder, struct wal_state **ret_state);
void wal_state_close(struct wal_state *state);

/* The last file that is in the repository; false: none yet. */
bool wal_state_last(struct wal_state *state, struct wal_place *ret_last);
uint64_t wal_state_segment_bytes(struct wal_state *state); /* 0: not known yet */
MUST_USE bool wal_state_set_segment_bytes(struct wal_state *state, uint64_t bytes);

/* Of what the pusher does; on the disk when they return. */
/* `place` does not follow what is there: what was continuous ends, and something new begins with it. */
MUST_USE error wal_state_begin_span(struct wal_state *state, struct arena *arena, struct wal_place place, str reason);
/* Begins a span by itself when the primary's clock is right again after it was ahead. */
MUST_USE error wal_state_follow_clock(struct wal_state *state, struct arena *arena);
MUST_USE error wal_state_pushed(struct wal_state *state, struct arena *arena, struct wal_place place);
bool wal_state_has_history(struct wal_state *state, uint32_t timeline);
MUST_USE error wal_state_pushed_history(struct wal_state *state, struct arena *arena, uint32_t timeline);
bool wal_state_has_stanza(struct wal_state *state);
MUST_USE error wal_state_made_stanza(struct wal_state *state, struct arena *arena);

/* What the primary said, and how much of it is here: the moments that this covers are in the window. */
void wal_state_observe(struct wal_state *state, const struct wal_observation *seen, uint64_t received);
/* A sentence each, or empty: about receiving, and about bringing it into the repository. */
void wal_state_set_problem(struct wal_state *state, bool is_of_pusher, str sentence);

/* For the agent, without waiting for the disk. */
MUST_USE bool wal_state_publish(struct wal_state *state, struct arena *arena);

#endif
