/* SPDX-License-Identifier: Apache-2.0 */
/* What requests and jobs both have to know about the backups of a cluster. */
#ifndef CLUSTER_BACKUP_H
#define CLUSTER_BACKUP_H

#include "cluster/wanted.h"
#include "store/backup/stanza.h"

/* Fields of the document: whether snapshots are taken, and whether any moment can be restored. */
extern const char *const backup_fields[2];

/* Where the first seat of a cluster is: near its primary. Texts point into `wanted`. */
struct seat_place backup_place(const struct wanted *wanted);

#endif
