/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of backups in other regions: seats that take what `copySettings` of a schedule say. Transactions are those of the cluster's organization, with cluster
 * and schedule locked, unless said otherwise.
 */
#ifndef STORE_BACKUP_COPY_H
#define STORE_BACKUP_COPY_H

#include "store/backup/stanza.h"

/* `provider`, `region`, and `has_any`: whether a host there keeps backups. A read of its own. */
MUST_USE error store_repository_regions(struct store *store, struct arena *arena, struct rows *ret_rows);

/* False when no repository host there has room. Those that are there go on, also if they were only kept. */
MUST_USE error store_copy_place(struct tx *tx, id stanza, const struct seat_place *place, bool *ret_placed);
/* Nothing more is copied there. What is there is kept until it expires, or removed. *ret_found: whether there was anything. */
MUST_USE error store_copy_end(struct tx *tx, id stanza, const struct seat_place *place, bool is_removed,
                              bool *ret_found);
/* What keeps copies from being removed. */
struct copy_hold {
    int64_t protected_ms; /* until when the last one is protected; 0: none is */
    bool is_read;         /* a restore reads from there */
};
MUST_USE error store_copy_hold(struct tx *tx, id stanza, const struct seat_place *place, struct copy_hold *ret_hold);

/* ---- In transactions of the service, for all organizations ---- */
/* Seats that settings ask for and that are missing are made, where there is room. */
MUST_USE error store_copies_complete(struct tx *tx);
/* What a host only keeps goes; nothing of it when a copy is protected, until *ret_protected_ms (0: none is). */
MUST_USE error store_host_drop_seats(struct tx *tx, id host, int64_t *ret_protected_ms);
/* Seats whose history goes on elsewhere, and of which no snapshot is left, go. */
MUST_USE error store_seats_remove_spent(struct tx *tx);

#endif
