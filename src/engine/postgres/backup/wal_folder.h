/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that pg_receivewal writes to: what is there, and what is put aside. */
#ifndef ENGINE_POSTGRES_BACKUP_WAL_FOLDER_H
#define ENGINE_POSTGRES_BACKUP_WAL_FOLDER_H

#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/backup/wal_place.h"

struct wal_file {
    struct wal_place place;
    bool is_complete; /* else pg_receivewal is at it, or was */
};
struct wal_files {
    size_t count;
    struct wal_file *items; /* by timeline, then by segment */
    size_t history_count;
    uint32_t *histories; /* timelines whose history is there, in order */
};

MUST_USE error wal_folder_list(struct arena *arena, str folder, uint64_t segment_bytes, struct wal_files *ret_files);
/* "<folder>/wal/0000…" */
str wal_folder_path(struct arena *arena, str folder, const struct wal_file *file, uint64_t segment_bytes);
/* False when it is not there or makes no sense. Timeline 1 has an empty one. */
bool wal_folder_history(struct arena *arena, str folder, uint32_t timeline, struct wal_history *ret_history);
/* NULL: it is not there. */
const struct wal_file *wal_folder_find(const struct wal_files *files, struct wal_place place);
/*
 * Whether something was written to the page before a position. After a switch the server fills the rest of a segment with nothing, which
 * nobody replays: a position in the middle of that is none that a recovery comes to.
 */
bool wal_folder_has_written(struct arena *arena, str folder, const struct wal_file *file, uint64_t segment_bytes,
                            uint64_t lsn);

MUST_USE error wal_folder_put_aside(struct arena *arena, str folder, const struct wal_file *file,
                                    uint64_t segment_bytes);
MUST_USE error wal_folder_remove(struct arena *arena, str folder, const struct wal_file *file, uint64_t segment_bytes);
/*
 * An unfinished file of a wrong size is put aside: pg_receivewal fills a file before it writes to it, and when the disk was full meanwhile it would refuse that
 * file for ever. Nothing was written to it yet.
 */
MUST_USE error wal_folder_put_stubs_aside(struct arena *arena, str folder, uint64_t segment_bytes);
/* What was put aside more than a week ago goes. */
void wal_folder_clear_aside(struct arena *arena, str folder);
/*
 * Makes pg_receivewal, which goes on after the last file that it finds, begin with a segment: an empty file for the one before, never
 * taken for WAL because it is not behind what is in the repository.
 */
MUST_USE error wal_folder_begin_at(struct arena *arena, str folder, struct wal_place place, uint64_t segment_bytes);

#endif
