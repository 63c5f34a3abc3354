/* SPDX-License-Identifier: Apache-2.0 */
/* What is written for a relay: the configuration of HAProxy, and the rules of the network around all relays of a host. */
#ifndef AGENT_RELAY_TEXT_H
#define AGENT_RELAY_TEXT_H

#include <sys/types.h>

#include "wire/relay/goal_relays.h"

/* Empty when there is nothing to listen for, or for nobody. */
str relay_config_text(struct arena *arena, const struct goal_relay *relay);

struct relay_user {
    const struct goal_relay *relay;
    uid_t user; /* that it runs as; 0 when it has none any more */
    bool
        is_leaving; /* the goal does not have it: nothing in, nothing out. Of `relay` the address counts, which may be empty */
};
/* One transaction, which takes the place of all rules from before. */
str relay_wall_text(struct arena *arena, const struct relay_user *relays, size_t count);

#endif
