/* SPDX-License-Identifier: Apache-2.0 */
/* Joining a fleet: from a token to a certificate. */
#ifndef AGENT_JOIN_H
#define AGENT_JOIN_H

#include "agent/state.h"

/* The token is "reeve_join_…:<fingerprint>". Nothing is sent to a server that cannot show an authority with that fingerprint.
 * A host that joins again gets a new certificate for the key that it has. */
MUST_USE error join_fleet(struct arena *arena, struct state *state, str url, str token);

#endif
