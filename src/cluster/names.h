/* SPDX-License-Identifier: Apache-2.0 */
/* The names of members and clusters in the domain of the deployment (docs/internals/fleet.md, "Names"). */
#ifndef CLUSTER_NAMES_H
#define CLUSTER_NAMES_H

#include <stdbool.h>

#include "base/str.h"

enum { CLUSTER_PORT = 27017, SET_NAME_LENGTH = 6 };

struct cluster_names {
    str set_name; /* "k3x9aq" */
    str label;    /* of the project: "p4ss1" */
    str domain;   /* "example.test" */
};

/* Six random letters and digits: the names of clusters do not reveal their tenants' names. */
str name_new_set(struct arena *arena);
/* "k3x9aq-shard-00-02" */
str name_of_member(struct arena *arena, str set_name, int ordinal);
/* "k3x9aq-shard-00-02.p4ss1.example.test", "…-pri…" for the private address */
str name_of_host(struct arena *arena, const struct cluster_names *names, int ordinal, bool is_private);
/* "_postgresql._tcp.k3x9aq.p4ss1.example.test", "…k3x9aq-pri…" */
str name_of_service(struct arena *arena, const struct cluster_names *names, bool is_private);
/* Content of the SRV record that points to a member. */
str name_service_target(struct arena *arena, str host);

#endif
