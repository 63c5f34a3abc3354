/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts: their identity, their goals and their reports (docs/internals/fleet.md). Transactions are the service's own. */
#ifndef STORE_FLEET_HOST_H
#define STORE_FLEET_HOST_H

#include "store/fleet/fleet.h"

#define GOAL_CHANNEL "reeve_goal"
#define JOB_CHANNEL  "reeve_job"

struct host_facts {
    str cpus; /* a number */
    int64_t memory_mb, disk_gb;
    str address; /* its own */
    str json;    /* everything that it said */
};
/* `fresh_id` is for a host that there is not yet. False when there is one that has members or seats of another purpose. */
MUST_USE error store_host_join(struct tx *tx, id fresh_id, const struct join_place *place,
                               const struct host_facts *facts, bool *ret_joined, id *ret_host, int64_t *ret_epoch);

/* What is known about the holder of a certificate. */
struct host_known {
    bool is_found;
    id host;
    int64_t epoch, goal_version;
    bool is_removed, is_revoked, is_expired;
};
void store_host_by_serial_bind(struct params *params, str serial); /* for SQL_HOST_BY_SERIAL */
struct host_known store_host_by_serial_row(const struct rows *rows);
MUST_USE error store_host_by_serial(struct store *store, struct arena *arena, str serial, struct host_known *ret_known);

/* The goal document; empty when there is no such host. */
MUST_USE error store_host_goal(struct store *store, struct arena *arena, id host, str domain, str etcd_json,
                               str *ret_goal);
/* Where logs of its members are sent, as a JSON list, with what is secret sealed; empty: nowhere. */
MUST_USE error store_host_log_targets(struct store *store, struct arena *arena, id host, str *ret_targets);
enum report_outcome { REPORT_TAKEN, REPORT_STALE, REPORT_FOREIGN };
/* The report must have been checked. FOREIGN: it was stored, but it also named members of another host. */
MUST_USE error store_host_report(struct tx *tx, id host, int64_t epoch, str report, enum report_outcome *ret_outcome);

/* What the certificate of a member says. The lists are JSON; `name` is empty when the member is not on this host. */
struct member_names {
    str name, names, addresses;
    id cluster;
    str scope; /* of the cluster */
};
MUST_USE error store_host_member_names(struct store *store, struct arena *arena, id host, id member, str domain,
                                       struct member_names *ret_names);

/* False when there is no such host; removing, also while it has members, unless it is lost with them. */
enum host_state { HOST_ACTIVE, HOST_DRAINING, HOST_DRAINED, HOST_REMOVED };
extern const char *const host_state_names[]; /* NULL at the end */
MUST_USE error store_host_set_state(struct tx *tx, str name, enum host_state state, bool *ret_is_there, id *ret_host);
MUST_USE error store_host_remove(struct tx *tx, str name, bool is_lost, bool *ret_is_there, id *ret_host);
struct address_range {
    str first, private_first; /* private_first is empty when there is none */
    int64_t prefix, count;
};
MUST_USE error store_host_address_add(struct tx *tx, str host_name, const struct address_range *range,
                                      int64_t *ret_added);
/* Those of the range that no member has; of it only first and count are looked at. */
MUST_USE error store_host_address_remove(struct tx *tx, str host_name, const struct address_range *range,
                                         int64_t *ret_removed);

/*
 * For a database that was restored from a backup: increases the versions of goals and the generations of clusters and
 * of access by `step`, so that no number that an agent has seen since the backup is used again.
 */
MUST_USE error store_fleet_restored(struct tx *tx, int64_t step, int64_t *ret_hosts, int64_t *ret_clusters);

#endif
