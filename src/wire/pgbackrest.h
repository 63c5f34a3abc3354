/* SPDX-License-Identifier: Apache-2.0 */
/* Which pgBackRest can be worked with. */
#ifndef WIRE_PGBACKREST_H
#define WIRE_PGBACKREST_H

#include <stdbool.h>

#include "base/str.h"

#define PGBACKREST_LEAST "2.55"

/* Of "2.55.1". Older ones make no stanza for PostgreSQL 17, and do not look for a replica by themselves. */
bool pgbackrest_is_new_enough(str version);

#endif
