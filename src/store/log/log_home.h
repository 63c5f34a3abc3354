/* SPDX-License-Identifier: Apache-2.0 */
/* Where the logs of members are: on which hosts. */
#ifndef STORE_LOG_LOG_HOME_H
#define STORE_LOG_LOG_HOME_H

#include "store/store.h"

struct log_home {
    id member;
    str name;    /* of the member's host, as connection strings have it */
    str host;    /* its id, hexadecimal */
    str address; /* of the host; empty: it was given up */
};

/* Of all members of a cluster, or of the member with this host name; the other one is empty. */
MUST_USE error store_log_homes(struct store *store, struct arena *arena, id project, str cluster, str host_name,
                               struct log_home **ret_homes, size_t *ret_count);

#endif
