/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the primary every second how far it is, in a thread of its own: the network may take its time. */
#ifndef ENGINE_POSTGRES_BACKUP_WAL_SOURCE_H
#define ENGINE_POSTGRES_BACKUP_WAL_SOURCE_H

#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/backup/wal_place.h"

struct wal_observation {
    uint64_t number;    /* of the observation; 0: none yet */
    int64_t steady_ms;  /* when it was made, here */
    int64_t primary_ms; /* and by the primary's clock */
    int64_t skew_ms;    /* the primary's clock, less this host's */
    uint64_t flushed;
    uint32_t timeline;
    uint64_t confirmed; /* by the slot; 0: there is none yet */
    bool slot_is_active, slot_is_lost;
    uint64_t segment_bytes;
    char version[64];
};

struct wal_source;

/* The config must live as long. */
MUST_USE struct wal_source *wal_source_new(const struct receive_config *config);
/* False when the primary has not answered for some seconds; `ret_problem` is then a sentence. */
bool wal_source_look(struct wal_source *source, struct arena *arena, struct wal_observation *ret_seen,
                     str *ret_problem);

/* The history of a timeline, from the primary. */
MUST_USE error wal_source_history(struct arena *arena, const struct receive_config *config, uint32_t timeline,
                                  struct wal_history *ret_history);
/* A slot that has lost its WAL goes, so that another one can be made. */
MUST_USE error wal_source_drop_lost_slot(struct arena *arena, const struct receive_config *config);

#endif
