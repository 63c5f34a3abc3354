/* SPDX-License-Identifier: Apache-2.0 */
/* The names of members and clusters in the domain of the deployment, and their ports (docs/internals/fleet.md, "Names"). */
#ifndef CLUSTER_NAMES_H
#define CLUSTER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* What new clusters get. It is kept in their rows: nothing of it is ever asked again about a cluster that is there. */
enum name_scheme {
    NAMES_NAMED,  /* "orders-k3x9aq-1" */
    NAMES_RANDOM, /* "k3x9aq-1": the names of clusters do not reveal their tenants' names */
    NAMES_SHARD,  /* "k3x9aq-shard-00-00", which is what clusters had once */
};
struct cluster_naming {
    enum name_scheme scheme;
    int64_t port, pooler_port;
};
extern const struct cluster_naming cluster_naming_usual;
/* "named", "random", "shard"; false: none of them. */
bool name_scheme_from(str word, enum name_scheme *ret_scheme);

enum { SET_NAME_LENGTH = 6, LABEL_MAX_LENGTH = 31 };

struct cluster_names {
    str set_name;   /* "k3x9aq" */
    str host_label; /* "orders-k3x9aq"; empty: names of the scheme "shard" */
    str label;      /* of the project: "p4ss1" */
    str domain;     /* "example.test" */
};

/* A random letter, and five random letters and digits. */
str name_new_set(struct arena *arena);
/*
 * What the names of a new cluster begin with. It ends with the set name, which is the cluster's alone: whatever a tenant
 * calls a cluster, its names cannot be another's. Empty for the scheme "shard".
 */
str name_new_label(struct arena *arena, enum name_scheme scheme, str name, str set_name);
/* "orders-k3x9aq-3" of the third, whose ordinal is 2; "k3x9aq-shard-00-02" without a label. member_name() of the store says the same. */
str name_of_member(struct arena *arena, str set_name, str host_label, int ordinal);
/* "orders-k3x9aq-3.p4ss1.example.test", "…-pri…" for the private address */
str name_of_host(struct arena *arena, const struct cluster_names *names, int ordinal, bool is_private);
/* "_postgresql._tcp.orders-k3x9aq.p4ss1.example.test", "…k3x9aq-pri…" */
str name_of_service(struct arena *arena, const struct cluster_names *names, bool is_private);
/* Content of the SRV record that points to a member. */
str name_service_target(struct arena *arena, int64_t port, str host);

#endif
