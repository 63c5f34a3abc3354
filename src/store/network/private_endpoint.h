/* SPDX-License-Identifier: Apache-2.0 */
/* Private endpoints: services on relay hosts, and the addresses that may come to them (docs/internals/network.md). */
#ifndef STORE_NETWORK_PRIVATE_ENDPOINT_H
#define STORE_NETWORK_PRIVATE_ENDPOINT_H

#include "store/store.h"

struct endpoint_service {
    id project, id;
    str provider, region;
    str remote_regions; /* JSON, a list of names */
};
/* Refuses with the reason: INVALID_ATTRIBUTE_VALUE, REGIONAL_MODE_OFF, NO_RELAY, and DUPLICATE_NAME for a second one in a region. */
MUST_USE error store_endpoint_service_add(struct tx *tx, const struct endpoint_service *service);
/* Of `remote_regions`. */
MUST_USE error store_endpoint_service_update(struct tx *tx, const struct endpoint_service *service);

struct endpoint_service_seen {
    str document; /* empty: there is none */
    int64_t revision, endpoint_count;
    bool is_removed;
};
MUST_USE error store_endpoint_service_lock(struct tx *tx, const struct endpoint_service *which,
                                           struct endpoint_service_seen *ret_seen);
MUST_USE error store_endpoint_service_remove(struct tx *tx, id project, id service);
/* In how many regions the project has one. */
MUST_USE error store_endpoint_service_regions(struct tx *tx, id project, int64_t *ret_count);

struct endpoint_draft {
    id project, service;
    str provider, name, address;
    int64_t access_generation; /* of store_access_touch() */
};
/* Refuses with the reason: INVALID_ATTRIBUTE_VALUE of the address, ENDPOINT_SERVICE_FULL, DUPLICATE_NAME. */
MUST_USE error store_endpoint_add(struct tx *tx, const struct endpoint_draft *draft);
/* Empty: there is none. */
MUST_USE error store_endpoint_find(struct tx *tx, const struct endpoint_draft *which, str *ret_document,
                                   int64_t *ret_revision);
MUST_USE error store_endpoint_remove(struct tx *tx, const struct endpoint_draft *which);

#endif
