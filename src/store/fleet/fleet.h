/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the operator owns: where clusters can be, the fleet's authority, the certificates that it signed, and the tokens that
 * let hosts join. Transactions here are the service's own. Lists come as JSON, an array of objects.
 */
#ifndef STORE_FLEET_FLEET_H
#define STORE_FLEET_FLEET_H

#include "store/store.h"

/* ---- Authority and certificates ---- */
struct authority_row {
    id id;
    str certificate; /* PEM; empty when there is none yet */
    str sealed_key;
};
MUST_USE error store_fleet_authority(struct store *store, struct arena *arena, struct authority_row *ret_row);
/* Adds nothing when there is one. */
MUST_USE error store_fleet_authority_add(struct tx *tx, const struct authority_row *row, int64_t not_after_ms);

/* Of one cluster; for transactions, so that of two that make it at once both see the same. */
MUST_USE error store_cluster_authority(struct tx *tx, id cluster, struct authority_row *ret_row);
/* Adds nothing when there is one. */
MUST_USE error store_cluster_authority_add(struct tx *tx, id cluster, const struct authority_row *row,
                                           int64_t not_after_ms);

struct certificate_row {
    str serial;
    id authority;
    str kind, owner; /* HOST and a host's id, MEMBER and a member's, SERVICE and a name */
    int64_t not_after_ms;
};
MUST_USE error store_certificate_add(struct tx *tx, const struct certificate_row *row);
MUST_USE error store_certificate_revoke(struct tx *tx, str kind, str owner, int64_t *ret_count);

/* ---- Where clusters can be ---- */
MUST_USE error store_provider_add(struct tx *tx, str name, bool *ret_is_valid);
MUST_USE error store_region_add(struct tx *tx, str provider, str name, bool *ret_is_valid);
struct instance_size {
    str name, cpus; /* "0.25" */
    int64_t memory_mb, disk_gb, max_connections, ordinal;
};
MUST_USE error store_instance_size_set(struct tx *tx, const struct instance_size *size, bool *ret_is_valid);
MUST_USE error store_dns_zone_set(struct tx *tx, str name, str nameservers, str contact);

/* One of the statements that answer with a list; `about` is empty for those that take no parameter or mean all. */
MUST_USE error store_fleet_list(struct store *store, struct arena *arena, enum sql statement, str about, str *ret_json);

/* ---- Join tokens ---- */
/* What a host is for: members of clusters, or their backups. */
enum host_purpose { HOST_FOR_DATABASES, HOST_FOR_BACKUPS, HOST_FOR_RELAYS };
extern const char *const host_purpose_names[]; /* NULL at the end */
struct join_place {
    str host_name, provider, region, zone;
    enum host_purpose purpose;
    str object_store; /* that a repository host writes to; empty: its disk */
};
/* False when there is no such region or object store. */
MUST_USE error store_join_token_add(struct tx *tx, str hash, const struct join_place *place, int64_t lifetime_s,
                                    bool *ret_is_valid);
enum join_token_state { TOKEN_UNKNOWN, TOKEN_USED, TOKEN_EXPIRED, TOKEN_TAKEN };
MUST_USE error store_join_token_take(struct tx *tx, str hash, enum join_token_state *ret_state,
                                     struct join_place *ret_place);

#endif
