/* SPDX-License-Identifier: Apache-2.0 */
/* Seats: where the backups of clusters are kept (docs/internals/backups.md). */
#ifndef STORE_BACKUP_SEAT_H
#define STORE_BACKUP_SEAT_H

#include "store/store.h"

/* What the certificate of a seat says. `scope` is empty when the host has no such seat. */
struct host_seat {
    id cluster;
    str scope, address;
};
MUST_USE error store_host_seat(struct store *store, struct arena *arena, id host, id seat, struct host_seat *ret_seat);

/* ---- What the worker tells ---- */
enum { SEAT_FAULTS_MAX = 100 };
struct seat_fault {
    id seat, organization, project;
    str cluster;
    str kind; /* as seat_faults() names it */
};
MUST_USE error store_seat_faults(struct store *store, struct arena *arena,
                                 struct seat_fault ret_faults[SEAT_FAULTS_MAX], size_t *ret_count);
/* What there is to say; false in *ret_changed when somebody has told it before, or it is over. */
MUST_USE error store_seat_fault_tell(struct tx *tx, const struct seat_fault *fault, bool *ret_changed,
                                     str *ret_document);

/* ---- For operators ---- */
/* `state`, `count`. */
MUST_USE error store_seat_counts(struct store *store, struct arena *arena, struct rows *ret_rows);
/* The same about the control plane's own database, with `age_s`: how much of it would be lost now, negative: all. */
MUST_USE error store_own_backup_counts(struct store *store, struct arena *arena, struct rows *ret_rows);

#endif
