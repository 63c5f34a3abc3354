/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control plane's side of the fleet: what hosts talk to and what operators command. docs/internals/fleet.md
 * describes the protocol. A fleet has its own database connections: when all hosts come back at once, tenants keep
 * theirs.
 */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

#include "base/crypto/crypto.h"
#include "fleet/log_goal.h"
#include "store/store.h"

struct monitor_stores;

struct fleet_config {
    struct store_config store;
    struct key master_key;
    const char *domain;      /* of members' names */
    const char *const *etcd; /* endpoints that members are told */
    size_t etcd_count;
    struct log_goal_config logs;
    struct monitor_stores *monitor; /* the caller's; NULL: nothing is measured */
};

struct fleet {
    struct store *store;
    struct key authority_key;   /* seals the authority's private key */
    struct key token_key;       /* of which join tokens are known */
    struct key directory_key;   /* seals passwords of tenants' directories */
    struct key etcd_key;        /* seals passwords of etcd's users */
    struct key backup_key;      /* seals what backups are encrypted with, and keys of object stores */
    struct key export_key;      /* seals keys of tenants' buckets */
    struct key key_service_key; /* seals keys for key services of projects */
    str domain, etcd_json;
    struct log_goal logs;           /* what is told to hosts that send logs */
    struct monitor_stores *monitor; /* of what they measure; NULL: none */
    struct arena *arena;
};

/* NULL without memory. Does not wait for the database. */
MUST_USE struct fleet *fleet_new(const struct fleet_config *config);
/* Only what operators need: its keys, on a store that the caller owns; nothing of it is freed. It cannot answer hosts. */
struct fleet fleet_keys(struct store *store, const struct key *master_key);
void fleet_free(struct fleet *fleet);

#endif
