/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The goal: what should be true on one host, as one document (docs/internals/fleet.md). The control plane writes it;
 * the agent keeps it on disk and works only from it.
 */
#ifndef WIRE_GOAL_H
#define WIRE_GOAL_H

#include "base/id.h"
#include "wire/goal_logs.h"
#include "wire/goal_restore.h"
#include "wire/goal_seats.h"
#include "wire/peering/goal_peering.h"
#include "wire/relay/goal_relays.h"
#include "wire/shape.h"

enum {
    GOAL_MAX_BYTES = 64 * 1024 * 1024,
    GOAL_MAX_MEMBERS = 4096,
    GOAL_MAX_CLUSTERS = 4096,
};

enum goal_desired { DESIRED_RUNNING, DESIRED_STOPPED, DESIRED_REMOVED };
/* How far a cluster is on the way to certificates of its own (docs/internals/fleet.md); NONE: the control plane knows nothing of it. */
enum goal_walls { WALLS_NONE, WALLS_PREPARE, WALLS_CHANGE, WALLS_CLOSED };
extern const char *const goal_walls_words[]; /* by the enum; NULL at the end */
/* How the pooler beside each member shares sessions among clients; OFF: there is none. */
enum goal_pool_mode { POOL_OFF, POOL_TRANSACTION, POOL_SESSION };
enum goal_login { LOGIN_SCRAM, LOGIN_X509, LOGIN_LDAP };
enum goal_task_kind {
    TASK_SWITCHOVER,
    TASK_FORGET_SCOPE,
    TASK_CREATE_INDEX,
    TASK_LOAD_SAMPLE,
    TASK_CREATE_EXTENSION,
    TASK_DROP_EXTENSION,
    TASK_UNKNOWN
};

struct goal_peer {
    id member;
    str name, address, host_address;
};
struct goal_peers {
    size_t count;
    struct goal_peer *items;
};

struct goal_role { /* a role that a user has, or that another role inherits */
    str role, database, collection;
};
struct goal_roles {
    size_t count;
    struct goal_role *items;
};
struct goal_user {
    str name;
    str login_text;
    enum goal_login login;
    str verifier;    /* SCRAM only; never logged */
    str valid_until; /* empty: for ever */
    struct goal_roles roles;
};
struct goal_users {
    size_t count;
    struct goal_user *items;
};
/* Somebody of the operator's, while a consent of the cluster's owner lasts: from one address, and every statement is recorded. */
struct goal_support_user {
    str name;
    str verifier; /* never logged */
    str valid_until;
    str from; /* a block */
    struct goal_roles roles;
};
struct goal_support_users {
    size_t count;
    struct goal_support_user *items;
};
struct goal_privilege {
    str action, database, collection; /* empty collection: all of them; empty database: the whole cluster */
};
struct goal_privileges {
    size_t count;
    struct goal_privilege *items;
};
struct goal_custom_role {
    str name;
    struct goal_privileges privileges;
    struct goal_roles inherits;
};
struct goal_custom_roles {
    size_t count;
    struct goal_custom_role *items;
};
struct goal_audit {                     /* what sessions leave in the server's log */
    struct wire_texts classes;          /* none: nothing is recorded */
    struct wire_texts users, databases; /* none: all of them */
    bool catalog, parameters, logins;
};
struct goal_ldap { /* the directory that users with LOGIN_LDAP prove who they are to */
    str hostname;  /* empty: there is none */
    int64_t port;
    str authority;                /* PEM; empty: those that the system knows */
    str prefix, suffix;           /* around a user's name: its name in the directory */
    str base, filter;             /* or how that is found, with $username; */
    str bind_name, bind_password; /* and as whom. Never logged */
};
struct goal_access {
    struct wire_texts networks;
    str authorities; /* PEM */
    struct goal_users users;
    struct goal_support_users support;
    struct goal_custom_roles roles;
    struct goal_audit audit;
    struct goal_ldap ldap;
};

struct goal_etcd { /* where its members agree, and as whom */
    struct wire_texts endpoints;
    str user;     /* empty: without one */
    str password; /* never logged */
};

struct goal_pooling {
    str mode_text;
    enum goal_pool_mode mode;
    int64_t port;
};

struct goal_keys {    /* the key service of its project, which wraps the keys of its members */
    bool is_required; /* nothing of its members is written without a key, whatever else is known */
    str hostname;     /* empty: there is none, or none that can be told now */
    int64_t port;
    str key_identifier;
    str authority, certificate;
    str client_key;             /* never logged */
    struct wire_texts networks; /* that the operator allows beside public addresses */
};

struct goal_cluster {
    id id, project;
    str name, scope, major_version;
    int64_t goal_generation, access_generation;
    bool synchronous;
    str walls_text;
    enum goal_walls walls;
    struct wire_pairs parameters;
    struct wire_pairs analytics_parameters; /* what members for analytics have instead, of their own size */
    struct goal_peers peers;
    struct goal_access access;
    struct goal_etcd etcd; /* no endpoints: those of the goal, of a control plane from before */
    struct goal_backup backup;
    struct goal_restore restore;
    struct goal_pooling pooling;
    struct goal_keys keys;
    struct wire_texts pinned_tables; /* that are always measured, as wire/monitor/table_name.h writes them */
    struct wire_texts switched_off;  /* settings of the project that are false */
};
struct goal_clusters {
    size_t count;
    struct goal_cluster *items;
};

struct goal_member {
    id id, cluster;
    str name;
    int64_t ordinal;
    str address;
    int64_t prefix, port;
    str desired_text;
    enum goal_desired desired;
    double cpus;
    int64_t memory_mb, disk_gb;
    bool electable;
    bool analytics;
    int64_t priority, restart_nonce;
    struct wire_texts names;
};
struct goal_members {
    size_t count;
    struct goal_member *items;
};

struct goal_task {
    id id, member;
    str kind_text;
    enum goal_task_kind kind; /* TASK_UNKNOWN: of a newer control plane */
    str parameters;           /* a JSON object */
};
struct goal_tasks {
    size_t count;
    struct goal_task *items;
};

struct goal {
    int64_t version, epoch;
    id host;
    str host_name;
    struct wire_texts etcd;
    str authority; /* PEM */
    struct goal_clusters clusters;
    struct goal_members members;
    struct goal_tasks tasks;
    struct goal_logs logs;
    struct goal_seats seats; /* of a repository host */
    struct goal_gates gates;
    struct goal_relays relays; /* of a relay host */
    struct goal_peerings peerings;
};

/* Checks what types and bounds do not: no id twice, a cluster for every member, valid addresses and networks. */
MUST_USE error goal_parse(struct arena *arena, str text, struct goal *ret_goal);

const struct goal_cluster *goal_find_cluster(const struct goal *goal, id cluster); /* NULL when there is none */
const struct goal_member *goal_find_member(const struct goal *goal, id member);

/* ---- What a project may switch off, as its settings call it ---- */
#define GOAL_DATABASE_STATISTICS "isCollectDatabaseSpecificsStatisticsEnabled"
#define GOAL_PERFORMANCE_ADVISOR "isPerformanceAdvisorEnabled"
#define GOAL_SCHEMA_ADVISOR      "isSchemaAdvisorEnabled"
bool goal_is_off(const struct goal_cluster *cluster, const char *setting);
const struct goal_seat *goal_find_seat(const struct goal *goal, id seat);
const struct goal_gate *goal_find_gate(const struct goal *goal, id gate);
const struct goal_relay *goal_find_relay(const struct goal *goal, id relay);
const struct goal_peering *goal_find_peering(const struct goal *goal, id peering);

extern const struct wire_shape goal_cluster_shape, goal_member_shape, goal_task_shape;

#endif
