/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A relay of a relay host (docs/internals/network.md): an address of its own, and HAProxy on it, which leads clients of one project's private
 * endpoints to that project's members.
 */
#ifndef AGENT_RELAY_RELAY_H
#define AGENT_RELAY_RELAY_H

#include "agent/member.h"
#include "wire/relay/report_relays.h"

#define RELAYS_FOLDER "/var/lib/reeve/relays"

/* "reeve-relay-<id>.service" */
str relay_unit(struct arena *arena, id relay);
/* The user that it runs as, chosen when it has none: the rules of the network need it before anything runs. */
MUST_USE error relay_take_user(const struct member_host *host, struct arena *arena, const struct goal_relay *relay,
                               uid_t *ret_user);
/* Brings it nearer to the goal. `ret_report` is valid as long as the arena. */
void relay_pass(const struct member_host *host, struct arena *arena, const struct goal_relay *relay, uid_t user,
                struct report_relay *ret_report);
/* What is here of one that the goal does not have: empty and 0 when there is none. */
void relay_look(const struct member_host *host, struct arena *arena, id relay, str *ret_address, uid_t *ret_user);
/* Nothing of it is left: its unit, its address, its folder. May be begun again at any place. */
MUST_USE error relay_remove(const struct member_host *host, struct arena *arena, id relay);

#endif
