/* SPDX-License-Identifier: Apache-2.0 */
/* What the operator offers: providers, regions and versions that hosts have, and sizes of members. The same for every tenant. */
#ifndef STORE_OFFER_FLEET_OFFER_H
#define STORE_OFFER_FLEET_OFFER_H

#include <jansson.h>

#include "store/store.h"

/* What the operator registered under the name of a size. */
struct offered_size {
    str name;
    double cpus;
    int64_t memory_mb, disk_gb, max_connections;
};
struct offered_region {
    str provider, region;
    int64_t hosts;          /* that take members */
    const json_t *versions; /* major versions that all of them have, newest first: ["17", "16"] */
};
enum { OFFER_MAX_REGIONS = 200, OFFER_MAX_SIZES = 100 };
struct fleet_offer {
    size_t region_count, size_count;
    struct offered_region regions[OFFER_MAX_REGIONS];
    struct offered_size sizes[OFFER_MAX_SIZES]; /* small ones first */
};
/* A read of its own, outside any transaction. */
MUST_USE error store_fleet_offer(struct store *store, struct arena *arena, struct fleet_offer **ret_offer);
/* NULL when there is none of that name. */
const struct offered_region *offer_region(const struct fleet_offer *offer, str provider, str region);
const struct offered_size *offer_size(const struct fleet_offer *offer, str name);
bool offer_has_version(const struct offered_region *region, str major_version);

MUST_USE error store_offered_size(struct tx *tx, str name, bool *ret_found, struct offered_size *ret_size);

#endif
