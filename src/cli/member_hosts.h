/* SPDX-License-Identifier: Apache-2.0 */
/* Where the members of a cluster are, as its document says it: in its connection strings. */
#ifndef CLI_MEMBER_HOSTS_H
#define CLI_MEMBER_HOSTS_H

#include <jansson.h>

#include "base/str.h"

/* "a:5432,b:5432", those for analytics last; empty while there are no names yet. */
str member_hosts(struct arena *arena, const json_t *cluster);

#endif
