/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a goal that says where logs of a host's members are sent. The database has it sealed; it is opened for the host that has
 * members of the project, and for nobody else.
 */
#ifndef FLEET_LOG_GOAL_H
#define FLEET_LOG_GOAL_H

#include "base/crypto/crypto.h"
#include "base/id.h"
#include "store/store.h"

struct log_goal_config {
    const char *const *networks; /* that the operator allows beside public addresses */
    size_t network_count;
    const char *authority_file; /* empty: receivers are checked against the hosts' own authorities */
    const char *relay;          /* of services whose address is not the tenant's; empty: none */
};
struct log_goal {
    struct key key;
    struct key backup_key; /* of roles in object stores */
    str egress;            /* where hosts may connect to when a tenant says so, as fields of a goal: also of exports */
    str relay;
};

struct log_goal log_goal_new(struct arena *arena, const struct key *master_key, const struct log_goal_config *config);
/* Adds the block to a goal, if there is anything in it. */
MUST_USE error log_goal_add(const struct log_goal *logs, struct store *store, struct arena *arena, id host, str *goal);

#endif
