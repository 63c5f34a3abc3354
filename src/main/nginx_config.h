/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nginx's configuration, made from reeve.conf. It has two parts. The first never changes while the node runs: it loads
 * the module and names reeve.conf. The second is everything else; the module itself makes it again, each time that
 * nginx reads its configuration, so that a reload (HUP) takes every change of reeve.conf.
 */
#ifndef MAIN_NGINX_CONFIG_H
#define MAIN_NGINX_CONFIG_H

#include "main/config.h"

/* Facts that are not in reeve.conf but found out at the start. */
struct nginx_facts {
    str user, group;       /* the user of the processes; empty when the node was not started by root */
    bool stderr_is_socket; /* the journal: it cannot be opened by name */
};
/* False, with a line in `problems`, when the user of reeve.conf does not exist. */
MUST_USE bool nginx_facts_find(struct arena *arena, const struct config *config, FILE *problems,
                               struct nginx_facts *ret_facts);

/* The first part; `generated` is the path of the second. */
str nginx_config_first(struct arena *arena, const struct config *config, const char *module, const char *generated);
str nginx_config_rest(struct arena *arena, const struct config *config, struct nginx_facts facts);

#endif
