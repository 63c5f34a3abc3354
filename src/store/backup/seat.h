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

#endif
