/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/goal.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/net/net.h"
#include "wire/goal_check.h"
#include "wire/plain_name.h"

enum { NAME_BYTES = 1024, LDAP_BYTES = 8192, PEM_BYTES = 1024 * 1024, SOME = 10000 };

// clang-format off
#define AT(type, member) offsetof(struct type, member)
#define R WIRE_REQUIRED

static const struct wire_field peer_fields[] = {
    { "memberId",    WIRE_ID,   R, AT(goal_peer, member) },
    { "name",        WIRE_TEXT, R, AT(goal_peer, name),         .max = NAME_BYTES },
    { "address",     WIRE_TEXT, R, AT(goal_peer, address),      .max = NAME_BYTES },
    { "hostAddress", WIRE_TEXT, R, AT(goal_peer, host_address), .max = NAME_BYTES },
};
static const struct wire_shape peer_shape = WIRE_SHAPE(struct goal_peer, peer_fields);

static const struct wire_field role_fields[] = {
    { "role",       WIRE_TEXT, R, AT(goal_role, role),       .max = NAME_BYTES },
    { "database",   WIRE_TEXT, 0, AT(goal_role, database),   .max = NAME_BYTES },
    { "collection", WIRE_TEXT, 0, AT(goal_role, collection), .max = NAME_BYTES },
};
static const struct wire_shape role_shape = WIRE_SHAPE(struct goal_role, role_fields);

static const struct wire_field user_fields[] = {
    { "name",       WIRE_TEXT, R, AT(goal_user, name),        .max = NAME_BYTES },
    { "login",      WIRE_TEXT, R, AT(goal_user, login_text),  .max = NAME_BYTES },
    { "verifier",   WIRE_TEXT, 0, AT(goal_user, verifier),    .max = NAME_BYTES },
    { "validUntil", WIRE_TEXT, 0, AT(goal_user, valid_until), .max = NAME_BYTES },
    { "roles",      WIRE_LIST, 0, AT(goal_user, roles),       .max = SOME, .of = &role_shape },
};
static const struct wire_shape user_shape = WIRE_SHAPE(struct goal_user, user_fields);

static const struct wire_field support_fields[] = {
    { "name",       WIRE_TEXT, R, AT(goal_support_user, name),        .max = NAME_BYTES },
    { "verifier",   WIRE_TEXT, R, AT(goal_support_user, verifier),    .max = NAME_BYTES },
    { "validUntil", WIRE_TEXT, R, AT(goal_support_user, valid_until), .max = NAME_BYTES },
    { "from",       WIRE_TEXT, R, AT(goal_support_user, from),        .max = NAME_BYTES },
    { "roles",      WIRE_LIST, 0, AT(goal_support_user, roles),       .max = SOME, .of = &role_shape },
};
static const struct wire_shape support_shape = WIRE_SHAPE(struct goal_support_user, support_fields);

static const struct wire_field privilege_fields[] = {
    { "action",     WIRE_TEXT, R, AT(goal_privilege, action),     .max = NAME_BYTES },
    { "database",   WIRE_TEXT, 0, AT(goal_privilege, database),   .max = NAME_BYTES },
    { "collection", WIRE_TEXT, 0, AT(goal_privilege, collection), .max = NAME_BYTES },
};
static const struct wire_shape privilege_shape = WIRE_SHAPE(struct goal_privilege, privilege_fields);

static const struct wire_field custom_role_fields[] = {
    { "name",       WIRE_TEXT, R, AT(goal_custom_role, name),       .max = NAME_BYTES },
    { "privileges", WIRE_LIST, 0, AT(goal_custom_role, privileges), .max = SOME, .of = &privilege_shape },
    { "inherits",   WIRE_LIST, 0, AT(goal_custom_role, inherits),   .max = SOME, .of = &role_shape },
};
static const struct wire_shape custom_role_shape = WIRE_SHAPE(struct goal_custom_role, custom_role_fields);

static const struct wire_field audit_fields[] = {
    { "classes",    WIRE_TEXTS, R, AT(goal_audit, classes),    .max = 64 },
    { "users",      WIRE_TEXTS, 0, AT(goal_audit, users),      .max = SOME },
    { "databases",  WIRE_TEXTS, 0, AT(goal_audit, databases),  .max = SOME },
    { "catalog",    WIRE_BOOL,  0, AT(goal_audit, catalog) },
    { "parameters", WIRE_BOOL,  0, AT(goal_audit, parameters) },
    { "logins",     WIRE_BOOL,  0, AT(goal_audit, logins) },
};
static const struct wire_shape audit_shape = WIRE_SHAPE(struct goal_audit, audit_fields);

static const struct wire_field ldap_fields[] = {
    { "hostname",     WIRE_TEXT, R, AT(goal_ldap, hostname),      .max = NAME_BYTES },
    { "port",         WIRE_INT,  R, AT(goal_ldap, port),          .min = 1, .max = 65535 },
    { "authority",    WIRE_TEXT, 0, AT(goal_ldap, authority),     .max = PEM_BYTES },
    { "prefix",       WIRE_TEXT, 0, AT(goal_ldap, prefix),        .max = LDAP_BYTES },
    { "suffix",       WIRE_TEXT, 0, AT(goal_ldap, suffix),        .max = LDAP_BYTES },
    { "base",         WIRE_TEXT, 0, AT(goal_ldap, base),          .max = LDAP_BYTES },
    { "filter",       WIRE_TEXT, 0, AT(goal_ldap, filter),        .max = LDAP_BYTES },
    { "bindUsername", WIRE_TEXT, 0, AT(goal_ldap, bind_name),     .max = LDAP_BYTES },
    { "bindPassword", WIRE_TEXT, 0, AT(goal_ldap, bind_password), .max = LDAP_BYTES },
};
static const struct wire_shape ldap_shape = WIRE_SHAPE(struct goal_ldap, ldap_fields);

static const struct wire_field access_fields[] = {
    { "networks",    WIRE_TEXTS, 0, AT(goal_access, networks),    .max = SOME },
    { "authorities", WIRE_TEXT,  0, AT(goal_access, authorities), .max = PEM_BYTES },
    { "users",       WIRE_LIST,  0, AT(goal_access, users),       .max = SOME, .of = &user_shape },
    { "support",     WIRE_LIST,  0, AT(goal_access, support),     .max = SOME, .of = &support_shape },
    { "roles",       WIRE_LIST,  0, AT(goal_access, roles),       .max = SOME, .of = &custom_role_shape },
    { "audit",       WIRE_OBJECT, 0, AT(goal_access, audit),      .of = &audit_shape },
    { "ldap",        WIRE_OBJECT, 0, AT(goal_access, ldap),       .of = &ldap_shape },
};
static const struct wire_shape access_shape = WIRE_SHAPE(struct goal_access, access_fields);

static const struct wire_field etcd_fields[] = {
    { "endpoints",    WIRE_TEXTS, 0, AT(goal_etcd, endpoints), .max = 64 },
    { "user",         WIRE_TEXT,  0, AT(goal_etcd, user),      .max = 128 },
    { "etcdPassword", WIRE_TEXT,  0, AT(goal_etcd, password),  .max = NAME_BYTES },
};
static const struct wire_shape etcd_shape = WIRE_SHAPE(struct goal_etcd, etcd_fields);

static const struct wire_field pooling_fields[] = {
    { "mode", WIRE_TEXT, R, AT(goal_pooling, mode_text), .max = 32 },
    { "port", WIRE_INT,  R, AT(goal_pooling, port),      .min = 1, .max = 65535 },
};
static const struct wire_shape pooling_shape = WIRE_SHAPE(struct goal_pooling, pooling_fields);

static const struct wire_field keys_fields[] = {
    { "required",          WIRE_BOOL,  0, AT(goal_keys, is_required) },
    { "hostname",          WIRE_TEXT,  0, AT(goal_keys, hostname),       .max = NAME_BYTES },
    { "port",              WIRE_INT,   0, AT(goal_keys, port),           .min = 0, .max = 65535 },
    { "keyIdentifier",     WIRE_TEXT,  0, AT(goal_keys, key_identifier), .max = NAME_BYTES },
    { "caCertificate",     WIRE_TEXT,  0, AT(goal_keys, authority),      .max = PEM_BYTES },
    { "clientCertificate", WIRE_TEXT,  0, AT(goal_keys, certificate),    .max = PEM_BYTES },
    { "clientKey",         WIRE_TEXT,  0, AT(goal_keys, client_key),     .max = PEM_BYTES },
    { "networks",          WIRE_TEXTS, 0, AT(goal_keys, networks),       .max = 1000 },
};
static const struct wire_shape keys_shape = WIRE_SHAPE(struct goal_keys, keys_fields);

static const struct wire_field cluster_fields[] = {
    { "id",               WIRE_ID,     R, AT(goal_cluster, id) },
    { "projectId",        WIRE_ID,     R, AT(goal_cluster, project) },
    { "name",             WIRE_TEXT,   R, AT(goal_cluster, name),              .max = NAME_BYTES },
    { "scope",            WIRE_TEXT,   R, AT(goal_cluster, scope),             .max = 64 },
    { "majorVersion",     WIRE_TEXT,   R, AT(goal_cluster, major_version),     .max = 8 },
    { "goalGeneration",   WIRE_INT,    R, AT(goal_cluster, goal_generation),   .max = INT64_MAX },
    { "accessGeneration", WIRE_INT,    R, AT(goal_cluster, access_generation), .max = INT64_MAX },
    { "synchronous",      WIRE_BOOL,   0, AT(goal_cluster, synchronous) },
    { "walls",            WIRE_TEXT,   0, AT(goal_cluster, walls_text),        .max = 32 },
    { "parameters",       WIRE_PAIRS,  0, AT(goal_cluster, parameters),        .max = SOME },
    { "analyticsParameters", WIRE_PAIRS, 0, AT(goal_cluster, analytics_parameters), .max = SOME },
    { "peers",            WIRE_LIST,   R, AT(goal_cluster, peers),             .max = 256, .of = &peer_shape },
    { "access",           WIRE_OBJECT, 0, AT(goal_cluster, access),            .of = &access_shape },
    { "etcd",             WIRE_OBJECT, 0, AT(goal_cluster, etcd),              .of = &etcd_shape },
    { "backup",           WIRE_OBJECT, 0, AT(goal_cluster, backup),            .of = &goal_backup_shape },
    { "restore",          WIRE_OBJECT, 0, AT(goal_cluster, restore),           .of = &goal_restore_shape },
    { "pooling",          WIRE_OBJECT, 0, AT(goal_cluster, pooling),           .of = &pooling_shape },
    { "keys",             WIRE_OBJECT, 0, AT(goal_cluster, keys),              .of = &keys_shape },
    { "pinnedTables",     WIRE_TEXTS,  0, AT(goal_cluster, pinned_tables),     .max = SOME },
    { "switchedOff",      WIRE_TEXTS,  0, AT(goal_cluster, switched_off),      .max = SOME },
};
const struct wire_shape goal_cluster_shape = WIRE_SHAPE(struct goal_cluster, cluster_fields);

static const struct wire_field member_fields[] = {
    { "id",           WIRE_ID,     R, AT(goal_member, id) },
    { "clusterId",    WIRE_ID,     R, AT(goal_member, cluster) },
    { "name",         WIRE_TEXT,   R, AT(goal_member, name),         .max = 128 },
    { "ordinal",      WIRE_INT,    0, AT(goal_member, ordinal),      .max = INT32_MAX },
    { "address",      WIRE_TEXT,   R, AT(goal_member, address),      .max = 64 },
    { "prefix",       WIRE_INT,    R, AT(goal_member, prefix),       .max = 128 },
    { "port",         WIRE_INT,    R, AT(goal_member, port),         .min = 1, .max = 65535 },
    { "desired",      WIRE_TEXT,   R, AT(goal_member, desired_text), .max = 32 },
    { "cpus",         WIRE_NUMBER, R, AT(goal_member, cpus),         .max = 4096 },
    { "memoryMb",     WIRE_INT,    R, AT(goal_member, memory_mb),    .min = 1, .max = INT32_MAX },
    { "diskGb",       WIRE_INT,    R, AT(goal_member, disk_gb),      .max = INT32_MAX },
    { "electable",    WIRE_BOOL,   0, AT(goal_member, electable) },
    { "analytics",    WIRE_BOOL,   0, AT(goal_member, analytics) },
    { "priority",     WIRE_INT,    0, AT(goal_member, priority),     .max = 1000 },
    { "restartNonce", WIRE_INT,    0, AT(goal_member, restart_nonce), .max = INT64_MAX },
    { "names",        WIRE_TEXTS,  0, AT(goal_member, names),        .max = 256 },
};
const struct wire_shape goal_member_shape = WIRE_SHAPE(struct goal_member, member_fields);

static const struct wire_field task_fields[] = {
    { "id",         WIRE_ID,   R, AT(goal_task, id) },
    { "memberId",   WIRE_ID,   R, AT(goal_task, member) },
    { "kind",       WIRE_TEXT, R, AT(goal_task, kind_text), .max = 64 },
    { "parameters", WIRE_RAW,  0, AT(goal_task, parameters) },
};
const struct wire_shape goal_task_shape = WIRE_SHAPE(struct goal_task, task_fields);

static const struct wire_field goal_fields[] = {
    { "version",   WIRE_INT,   R, AT(goal, version),   .max = INT64_MAX },
    { "epoch",     WIRE_INT,   R, AT(goal, epoch),     .max = INT64_MAX },
    { "hostId",    WIRE_ID,    R, AT(goal, host) },
    { "hostName",  WIRE_TEXT,  0, AT(goal, host_name), .max = NAME_BYTES },
    { "etcd",      WIRE_TEXTS, R, AT(goal, etcd),      .max = 64 },
    { "authority", WIRE_TEXT,  R, AT(goal, authority), .max = PEM_BYTES },
    { "clusters",  WIRE_LIST,  R, AT(goal, clusters),  .max = GOAL_MAX_CLUSTERS, .of = &goal_cluster_shape },
    { "members",   WIRE_LIST,  R, AT(goal, members),   .max = GOAL_MAX_MEMBERS, .of = &goal_member_shape },
    { "tasks",     WIRE_LIST,  0, AT(goal, tasks),     .max = SOME, .of = &goal_task_shape },
    { "logs",      WIRE_OBJECT, 0, AT(goal, logs),     .of = &goal_logs_shape },
    { "seats",     WIRE_LIST,  0, AT(goal, seats),     .max = GOAL_MAX_SEATS, .of = &goal_seat_shape },
    { "gates",     WIRE_LIST,  0, AT(goal, gates),     .max = GOAL_MAX_GATES, .of = &goal_gate_shape },
    { "relays",    WIRE_LIST,  0, AT(goal, relays),    .max = GOAL_MAX_RELAYS, .of = &goal_relay_shape },
    { "peerings",  WIRE_LIST,  0, AT(goal, peerings),  .max = GOAL_MAX_PEERINGS, .of = &goal_peering_shape },
};
static const struct wire_shape goal_shape = WIRE_SHAPE(struct goal, goal_fields);
// clang-format on

static const char *const desired_words[] = { "RUNNING", "STOPPED", "REMOVED", NULL };
const char *const goal_walls_words[] = { "", "PREPARE", "CHANGE", "CLOSED", NULL };
static const char *const pool_words[] = { "", "TRANSACTION", "SESSION", NULL };
static const char *const login_words[] = { "SCRAM", "X509", "LDAP", NULL };
static const char *const task_words[] = { "SWITCHOVER",  "FORGET_SCOPE",     "CREATE_INDEX",
                                          "LOAD_SAMPLE", "CREATE_EXTENSION", "DROP_EXTENSION",
                                          NULL };

/* ---- What types and bounds do not say ---- */
/* All but the certificates become parts of lines of configuration. */
static bool
is_directory(const struct goal_ldap *ldap)
{
    const str lines[] = { ldap->prefix, ldap->suffix, ldap->base, ldap->filter, ldap->bind_name, ldap->bind_password };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        if (!str_is_one_line(lines[i]))
            return false;
    }
    return plain_name(ldap->hostname) || goal_is_address(ldap->hostname);
}

static error
check_access(struct arena *arena, struct goal_access *access, size_t index)
{
    struct net_block ignored;
    for (size_t i = 0; i < access->networks.count; i++) {
        if (!net_parse_block(access->networks.items[i], &ignored))
            return goal_wrong(arena, "clusters", index, "access.networks", "one of them is no network");
    }
    for (size_t i = 0; i < access->users.count; i++) {
        struct goal_user *user = &access->users.items[i];
        int login = str_word(user->login_text, login_words);
        if (login < 0)
            return goal_wrong(arena, "clusters", index, "access.users", "a login that this agent does not know");
        user->login = (enum goal_login)login;
    }
    for (size_t i = 0; i < access->support.count; i++) {
        const struct goal_support_user *user = &access->support.items[i];
        if (!plain_name(user->name) || !net_parse_block(user->from, &ignored))
            return goal_wrong(arena, "clusters", index, "access.support", "a name or network that is none");
    }
    if (access->ldap.hostname.len > 0 && !is_directory(&access->ldap))
        return goal_wrong(arena, "clusters", index, "access.ldap", "one of its texts is not what it should be");
    for (size_t i = 0; i < access->audit.classes.count; i++) {
        if (!plain_name(access->audit.classes.items[i]))
            return goal_wrong(arena, "clusters", index, "access.audit.classes", "letters are wanted");
    }
    return OK;
}

/* What a tenant said of their service is no reason to refuse what others are told: a service that cannot be asked counts as none. */
static void
check_keys(struct goal_keys *keys)
{
    struct net_block ignored;
    bool is_fine = (plain_name(keys->hostname) || goal_is_address(keys->hostname)) && keys->port > 0 &&
                   keys->key_identifier.len > 0 && str_is_one_line(keys->key_identifier);
    for (size_t i = 0; i < keys->networks.count; i++)
        is_fine = is_fine && net_parse_block(keys->networks.items[i], &ignored);
    if (!is_fine)
        keys->hostname = STR_EMPTY;
}

static error
check_cluster(struct arena *arena, struct goal_cluster *cluster, size_t index)
{
    if (!plain_name(cluster->scope))
        return goal_wrong(arena, "clusters", index, "scope", "letters and digits are wanted");
    if (!plain_name(cluster->major_version))
        return goal_wrong(arena, "clusters", index, "majorVersion", "a number is wanted");
    int walls = str_word(cluster->walls_text, goal_walls_words);
    if (walls < 0)
        return goal_wrong(arena, "clusters", index, "walls", "a phase that this agent does not know");
    cluster->walls = (enum goal_walls)walls;
    int pool = str_word(cluster->pooling.mode_text, pool_words);
    if (pool < 0)
        return goal_wrong(arena, "clusters", index, "pooling", "a mode that this agent does not know");
    cluster->pooling.mode = (enum goal_pool_mode)pool;
    for (size_t i = 0; i < cluster->peers.count; i++) {
        const struct goal_peer *peer = &cluster->peers.items[i];
        if (!plain_name(peer->name) || !goal_is_address(peer->address) || !goal_is_address(peer->host_address))
            return goal_wrong(arena, "clusters", index, "peers", "a name or address that is none");
    }
    check_keys(&cluster->keys);
    TRY(goal_backup_check(arena, &cluster->backup, index));
    TRY(goal_restore_check(arena, &cluster->restore, index));
    return check_access(arena, &cluster->access, index);
}

static error
check_member(struct arena *arena, const struct goal *goal, struct goal_member *member, size_t index)
{
    int desired = str_word(member->desired_text, desired_words);
    if (desired < 0)
        return goal_wrong(arena, "members", index, "desired", "RUNNING, STOPPED or REMOVED is wanted");
    member->desired = (enum goal_desired)desired;
    if (!plain_name(member->name))
        return goal_wrong(arena, "members", index, "name", "letters, digits and dashes are wanted");
    if (!goal_is_address(member->address))
        return goal_wrong(arena, "members", index, "address", "an address is wanted");
    for (size_t i = 0; i < member->names.count; i++) {
        if (!plain_name(member->names.items[i]))
            return goal_wrong(arena, "members", index, "names", "one of them is no host name");
    }
    if (goal_find_cluster(goal, member->cluster) == NULL)
        return goal_wrong(arena, "members", index, "clusterId", "there is no such cluster in the document");
    return OK;
}

static int
compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(id));
}

/* `items` begin with their id. */
static error
check_once(struct arena *arena, const char *list, const void *items, size_t count, size_t bytes)
{
    id *ids = ARENA_ARRAY(arena, id, count + 1);
    if (ids == NULL)
        return fail(arena, OVERLOADED);
    for (size_t i = 0; i < count; i++)
        memcpy(&ids[i], (const char *)items + i * bytes, sizeof(id));
    qsort(ids, count, sizeof(id), compare_ids);
    for (size_t i = 1; i < count; i++) {
        if (id_eq(ids[i - 1], ids[i]))
            return fail(arena, INVALID_ATTRIBUTE_VALUE, V(list), V("an id is there twice"));
    }
    return OK;
}

/* Sorted by id, so that looking up and comparing two goals take no quadratic time. */
#define SORT(list) qsort((list).items, (list).count, sizeof(*(list).items), compare_ids)

error
goal_parse(struct arena *arena, str text, struct goal *ret_goal)
{
    struct goal goal = { 0 };
    if (text.len > GOAL_MAX_BYTES)
        return fail(arena, BODY_TOO_LARGE, V(GOAL_MAX_BYTES));
    TRY(wire_read(arena, text, &goal_shape, &goal));
    TRY(check_once(arena, "clusters", goal.clusters.items, goal.clusters.count, sizeof(*goal.clusters.items)));
    TRY(check_once(arena, "members", goal.members.items, goal.members.count, sizeof(*goal.members.items)));
    TRY(check_once(arena, "tasks", goal.tasks.items, goal.tasks.count, sizeof(*goal.tasks.items)));
    TRY(check_once(arena, "seats", goal.seats.items, goal.seats.count, sizeof(*goal.seats.items)));
    TRY(check_once(arena, "gates", goal.gates.items, goal.gates.count, sizeof(*goal.gates.items)));
    TRY(check_once(arena, "relays", goal.relays.items, goal.relays.count, sizeof(*goal.relays.items)));
    TRY(check_once(arena, "peerings", goal.peerings.items, goal.peerings.count, sizeof(*goal.peerings.items)));
    for (size_t i = 0; i < goal.clusters.count; i++)
        TRY(check_cluster(arena, &goal.clusters.items[i], i));
    if (goal.clusters.count > 0)
        SORT(goal.clusters);
    for (size_t i = 0; i < goal.members.count; i++)
        TRY(check_member(arena, &goal, &goal.members.items[i], i));
    if (goal.members.count > 0)
        SORT(goal.members);
    for (size_t i = 0; i < goal.tasks.count; i++) {
        struct goal_task *task = &goal.tasks.items[i];
        int kind = str_word(task->kind_text, task_words);
        task->kind = kind < 0 ? TASK_UNKNOWN : (enum goal_task_kind)kind;
        if (task->parameters.len == 0)
            task->parameters = STR("{}");
    }
    TRY(goal_logs_check(arena, &goal.logs));
    for (size_t i = 0; i < goal.seats.count; i++)
        TRY(goal_seat_check(arena, &goal.seats.items[i], i));
    if (goal.seats.count > 0)
        SORT(goal.seats);
    for (size_t i = 0; i < goal.gates.count; i++)
        TRY(goal_gate_check(arena, &goal.gates.items[i], i));
    if (goal.gates.count > 0)
        SORT(goal.gates);
    for (size_t i = 0; i < goal.relays.count; i++)
        TRY(goal_relay_check(arena, &goal.relays.items[i], i));
    if (goal.relays.count > 0)
        SORT(goal.relays);
    for (size_t i = 0; i < goal.peerings.count; i++)
        TRY(goal_peering_check(arena, &goal.peerings.items[i], i));
    if (goal.peerings.count > 0)
        SORT(goal.peerings);
    *ret_goal = goal;
    return OK;
}

const struct goal_cluster *
goal_find_cluster(const struct goal *goal, id cluster)
{
    if (goal->clusters.count == 0)
        return NULL;
    return bsearch(&cluster, goal->clusters.items, goal->clusters.count, sizeof(*goal->clusters.items), compare_ids);
}

const struct goal_member *
goal_find_member(const struct goal *goal, id member)
{
    if (goal->members.count == 0)
        return NULL;
    return bsearch(&member, goal->members.items, goal->members.count, sizeof(*goal->members.items), compare_ids);
}

bool
goal_is_off(const struct goal_cluster *cluster, const char *setting)
{
    for (size_t i = 0; i < cluster->switched_off.count; i++) {
        if (str_is(cluster->switched_off.items[i], setting))
            return true;
    }
    return false;
}

const struct goal_seat *
goal_find_seat(const struct goal *goal, id seat)
{
    if (goal->seats.count == 0)
        return NULL;
    return bsearch(&seat, goal->seats.items, goal->seats.count, sizeof(*goal->seats.items), compare_ids);
}

const struct goal_gate *
goal_find_gate(const struct goal *goal, id gate)
{
    if (goal->gates.count == 0)
        return NULL;
    return bsearch(&gate, goal->gates.items, goal->gates.count, sizeof(*goal->gates.items), compare_ids);
}

const struct goal_relay *
goal_find_relay(const struct goal *goal, id relay)
{
    if (goal->relays.count == 0)
        return NULL;
    return bsearch(&relay, goal->relays.items, goal->relays.count, sizeof(*goal->relays.items), compare_ids);
}

const struct goal_peering *
goal_find_peering(const struct goal *goal, id peering)
{
    if (goal->peerings.count == 0)
        return NULL;
    return bsearch(&peering, goal->peerings.items, goal->peerings.count, sizeof(*goal->peerings.items), compare_ids);
}
