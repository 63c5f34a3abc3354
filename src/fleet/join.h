/* SPDX-License-Identifier: Apache-2.0 */
/* Join tokens: how a machine becomes a host. A token is for one host and works once. */
#ifndef FLEET_JOIN_H
#define FLEET_JOIN_H

#include "fleet/fleet.h"
#include "store/fleet/fleet.h"

/* "reeve_join_…:<fingerprint of the authority>"; only its MAC is kept. False when there is no such region. */
MUST_USE error join_token_add(struct fleet *fleet, struct tx *tx, const struct join_place *place, int64_t lifetime_s,
                              bool *ret_is_valid, str *ret_token);

#endif
