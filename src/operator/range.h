/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that are given to hosts, as operators write them. */
#ifndef OPERATOR_RANGE_H
#define OPERATOR_RANGE_H

#include "base/net/net.h"
#include "store/fleet/host.h"

enum { RANGE_MOST_ADDRESSES = 65536 };
#define RANGE_FORMS "at most 65536 addresses: 10.0.1.10-10.0.1.99, 10.0.1.0/26 or one address"

/* "10.0.1.10-10.0.1.99", "10.0.1.0/26" without its first and last address, or one address: fills in first and count. */
MUST_USE bool range_read(struct arena *arena, str text, struct address_range *ret_range);
/* Whether this address is followed by enough others; it counts itself. */
bool range_fits(const struct net_address *first, int64_t count);

#endif
