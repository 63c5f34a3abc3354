/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates of the host and of its members: asked for when they are missing, wrong, or when a third of their time is
 * left. Keys are made here, never leave the host and never change: only certificates are replaced.
 */
#ifndef AGENT_CERTIFICATES_H
#define AGENT_CERTIFICATES_H

#include "agent/state.h"
#include "engine/engine.h"

/*
 * The member's, one for each purpose, in tls/ below its folder. `ret_changed` is set when one was replaced. Without a
 * control plane (no url) an existing one is used. If a new one cannot be fetched, an old one that is still valid is no
 * error.
 */
MUST_USE error certificates_of_member(struct engine_member *self, const struct state *state, bool *ret_changed);

/* Of a seat: tls/seat.key and tls/seat.crt below its folder, which `files` owns. As for members otherwise. */
MUST_USE error certificates_of_seat(struct caller *caller, struct arena *arena, const struct state *state, id seat,
                                    str folder, struct disk_owner files, bool *ret_changed);

/* Of a gate: key/gate.key, which root alone reads, and gate/gate.crt. */
MUST_USE error certificates_of_gate(struct caller *caller, struct arena *arena, const struct state *state, id gate,
                                    str folder, struct disk_owner files, bool *ret_changed);

/* Of a download: serve/server.key and serve/server.crt, in a folder that only root and the seat come into. */
MUST_USE error certificates_of_download(struct caller *caller, struct arena *arena, const struct state *state,
                                        id download, str folder, bool *ret_changed);

/* Of the door to logs: server.key and server.crt, in a folder that is root's. */
MUST_USE error certificates_of_log_door(struct caller *caller, struct arena *arena, const struct state *state,
                                        str folder, bool *ret_changed);

/* The host's own; `ret_changed` says that connections must be opened again. */
MUST_USE error certificates_of_host(struct caller *caller, struct arena *arena, const struct state *state,
                                    bool *ret_changed);

#endif
