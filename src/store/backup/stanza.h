/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories of clusters: what is backed up, and where it is kept. Transactions are those of the cluster's organization, with the cluster
 * locked, unless said otherwise.
 */
#ifndef STORE_BACKUP_STANZA_H
#define STORE_BACKUP_STANZA_H

#include "store/store.h"

/* The open history of a cluster; none when *ret_found is false. */
MUST_USE error store_stanza_open(struct tx *tx, id organization, id cluster, bool *ret_found, id *ret_stanza);
/* Whether anything is kept of the cluster, also of a history that has ended. */
MUST_USE error store_stanza_any(struct tx *tx, id organization, id cluster, bool *ret_has_any);
/* Begins the next one. `cipher` is sealed. Adds nothing when one is open. Makes the cluster's schedule when there is none. */
MUST_USE error store_stanza_add(struct tx *tx, id organization, id cluster, id stanza, str cipher);
/* It can only be read from now on. */
MUST_USE error store_stanza_end(struct tx *tx, id organization, id cluster);
/* All histories of the cluster go; those with something protected in them are only ended. */
MUST_USE error store_stanza_remove_all(struct tx *tx, id organization, id cluster);
/* Of all organizations, in a transaction of the service: ended ones without snapshots go. */
MUST_USE error store_stanza_remove_spent(struct tx *tx);

/* ---- Seats ---- */
struct seat_place {
    str provider, region;
    int64_t reserved_gb;
};
/* The first seat of a history. False when no repository host has room. */
MUST_USE error store_seat_place(struct tx *tx, id stanza, const struct seat_place *place, bool *ret_placed);

/* Of a history that has ended: room that it does not need is free for others. */
MUST_USE error store_seat_shrink(struct tx *tx, id stanza);

enum { STORE_MAX_SEATS = 2 };
struct seat_state {
    int ordinal;
    str unit, problem; /* empty: none */
    bool has_received; /* any WAL */
};
/* Of the open history: those that go on, but for copies. */
MUST_USE error store_seats_of_cluster(struct tx *tx, id organization, id cluster, size_t *ret_count,
                                      struct seat_state ret_seats[STORE_MAX_SEATS]);
/* In a transaction of the service. Seats of a host that was given up get another one; *ret_left seats are left on it. */
MUST_USE error store_host_move_seats(struct tx *tx, id host, int64_t *ret_left);

#endif
