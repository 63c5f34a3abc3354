/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control plane's side of the fleet: what hosts talk to and what operators command. docs/internals/fleet.md is what both
 * sides agreed on. A fleet has database connections of its own: hosts that all come back at once take none from tenants.
 */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

#include "base/crypto/crypto.h"
#include "fleet/log_goal.h"
#include "store/store.h"

struct fleet_config {
    struct store_config store;
    struct key master_key;
    const char *domain;      /* of members' names */
    const char *const *etcd; /* endpoints that members are told */
    size_t etcd_count;
    struct log_goal_config logs;
};

struct fleet {
    struct store *store;
    struct key authority_key; /* seals the authority's private key */
    struct key token_key;     /* of which join tokens are known */
    struct key directory_key; /* seals passwords of tenants' directories */
    struct key etcd_key;      /* seals passwords of etcd's users */
    str domain, etcd_json;
    struct log_goal logs; /* what is told to hosts that send logs */
    struct arena *arena;
};

/* NULL without memory. Does not wait for the database. */
MUST_USE struct fleet *fleet_new(const struct fleet_config *config);
/* What an operator needs of one, its keys, on a store that somebody else has; nothing of it is freed. Hosts cannot be answered with it. */
struct fleet fleet_keys(struct store *store, const struct key *master_key);
void fleet_free(struct fleet *fleet);

#endif
