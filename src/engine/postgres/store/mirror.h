/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies what a restore needs out of an object store, as it is there: a backup with those that it builds on, and the WAL behind its beginning. A gate then serves the
 * copy as it does a repository on a disk, and has no key of the store. Runs as the seat's user.
 *
 *   <folder>/     the seat   0700
 *   order.json    root       0644   {"stanza", "label", "isExact": only WAL of the backup itself}
 *   said.json     the seat   0600   as of a drill (drill_files.h), with "bytes" and "files"
 *   repo/         the seat   0700   the copy
 */
#ifndef ENGINE_POSTGRES_STORE_MIRROR_H
#define ENGINE_POSTGRES_STORE_MIRROR_H

#include "base/json.h"
#include "engine/problem.h"

#define MIRROR_SAID_FILE "said.json"
#define MIRROR_COPY      "repo"

/* `seat` is the folder of the seat. Killed anywhere it can be run again: what is there is not fetched twice. */
MUST_USE error mirror_run(struct arena *arena, str seat, str folder);

/* What is to be copied of the archive: histories, what belongs to no segment, and segments of any timeline from `first` to `last`, which may be empty. */
bool mirror_wants(str name, str first, str last);

#endif
