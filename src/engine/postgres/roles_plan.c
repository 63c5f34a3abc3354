/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/crypto/crypto.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles.h"

enum { MAX_INHERITANCE = 16, MOST_PRIVILEGES = 20000, HASH_DIGITS = 16, TEXT_BYTES = 8 * 1024 * 1024 };

// clang-format off
#define READ_WRITE (MAY_SELECT | MAY_INSERT | MAY_UPDATE | MAY_DELETE)
#define ADMINISTER (MAY_CREATE | MAY_OWN | MAY_MAINTAIN | MAY_TRUNCATE | MAY_REFERENCE | MAY_TRIGGER)
#define EVERYTHING (ALSO_MONITOR | ALSO_SIGNAL | ALSO_CREATE_DATABASE | ALSO_CREATE_ROLE)

/* The roles that the API has of its own. */
static const struct builtin {
    const char *name;
    bool everywhere; /* whatever database it names */
    unsigned may, also;
} builtins[] = {
    { "read",                 false, MAY_SELECT,                0 },
    { "readWrite",            false, READ_WRITE | MAY_CREATE,   0 },
    { "dbAdmin",              false, ADMINISTER,                0 },
    { "readAnyDatabase",      true,  MAY_SELECT,                0 },
    { "readWriteAnyDatabase", true,  READ_WRITE | MAY_CREATE,   0 },
    { "dbAdminAnyDatabase",   true,  ADMINISTER,                ALSO_CREATE_DATABASE },
    { "clusterMonitor",       true,  MAY_CONNECT,               ALSO_MONITOR },
    { "backup",               true,  MAY_SELECT,                ALSO_MONITOR },
    { "enableSharding",       true,  MAY_CONNECT,               0 },
    { "serviceAdmin",         true,  READ_WRITE | ADMINISTER,   EVERYTHING },
    { "atlasAdmin",           true,  READ_WRITE | ADMINISTER,   EVERYTHING },
};

/* Actions of custom roles. Those that are not here allow to connect and nothing else. */
static const struct action {
    const char *name;
    unsigned may, also; /* `also` only when the action is on the whole cluster */
} actions[] = {
    { "FIND",                      MAY_SELECT,               0 },
    { "CHANGE_STREAM",             MAY_SELECT,               0 },
    { "INSERT",                    MAY_INSERT,               0 },
    { "UPDATE",                    MAY_UPDATE,               0 },
    { "REMOVE",                    MAY_DELETE,               0 },
    { "CREATE_COLLECTION",         MAY_CREATE,               0 },
    { "CREATE_INDEX",              MAY_OWN,                  0 },
    { "DROP_INDEX",                MAY_OWN,                  0 },
    { "DROP_COLLECTION",           MAY_OWN,                  0 },
    { "DROP_DATABASE",             MAY_OWN,                  0 },
    { "COLL_MOD",                  MAY_OWN,                  0 },
    { "RENAME_COLLECTION_SAME_DB", MAY_OWN,                  0 },
    { "ANALYZE",                   MAY_MAINTAIN,             0 },
    { "COMPACT",                   MAY_MAINTAIN,             0 },
    { "RE_INDEX",                  MAY_MAINTAIN,             0 },
    { "KILL_OP",                   MAY_CONNECT,              ALSO_SIGNAL },
    { "KILL_ANY_SESSION",          MAY_CONNECT,              ALSO_SIGNAL },
    { "KILL_ANY_CURSOR",           MAY_CONNECT,              ALSO_SIGNAL },
    { "SERVER_STATUS",             MAY_CONNECT,              ALSO_MONITOR },
    { "IN_PROG",                   MAY_CONNECT,              ALSO_MONITOR },
    { "TOP",                       MAY_CONNECT,              ALSO_MONITOR },
    { "CONN_POOL_STATS",           MAY_CONNECT,              ALSO_MONITOR },
    { "GET_PARAMETER",             MAY_CONNECT,              ALSO_MONITOR },
    { "HOST_INFO",                 MAY_CONNECT,              ALSO_MONITOR },
};

/* Databases that tenants have nothing to do in. */
static const char *const closed_databases[] = { "postgres", "template0", "template1" };
// clang-format on

/* ---- Names ---- */
static str
short_hash(struct arena *arena, str of)
{
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(of, digest);
    return str_hex(arena, digest, HASH_DIGITS / 2);
}

str
role_name(struct arena *arena, str user)
{
    if (user.len <= PG_NAME_BYTES)
        return user;
    size_t keep = PG_NAME_BYTES - 1 - HASH_DIGITS;
    while (keep > 0 && ((unsigned char)user.data[keep] & 0xc0) == 0x80)
        keep--; /* not in the middle of a character */
    return str_format(arena, "%.*s_%s", (int)keep, user.data, short_hash(arena, user).data);
}

const char *
role_name_problem(str user)
{
    static const char *const taken[] = { SUPERUSER, "public", "none" };
    if (user.len == 0)
        return "it is empty";
    for (size_t i = 0; i < user.len; i++) {
        if ((unsigned char)user.data[i] < 0x20 || user.data[i] == 0x7f)
            return "it has a control character";
    }
    if (user.data[0] == '/' || user.data[0] == '+' || user.data[0] == '@')
        return "PostgreSQL gives its first character a meaning of its own";
    if (str_starts_with(user, STR("pg_")) || str_starts_with(user, STR(RESERVED_PREFIX)))
        return "its beginning is reserved";
    for (size_t i = 0; i < LENGTH(taken); i++) {
        if (str_is(user, taken[i]))
            return "it is PostgreSQL's own";
    }
    return NULL;
}

str
role_of_owner(struct arena *arena, str database)
{
    return str_format(arena, RESERVED_PREFIX "o_%s", short_hash(arena, database).data);
}

static const struct {
    unsigned may;
    const char *word;
    int since;
} table_words[] = {
    { MAY_SELECT, "SELECT", 0 },   { MAY_INSERT, "INSERT", 0 },          { MAY_UPDATE, "UPDATE", 0 },
    { MAY_DELETE, "DELETE", 0 },   { MAY_TRUNCATE, "TRUNCATE", 0 },      { MAY_REFERENCE, "REFERENCES", 0 },
    { MAY_TRIGGER, "TRIGGER", 0 }, { MAY_MAINTAIN, "MAINTAIN", 170000 },
};

str
role_table_privileges(struct arena *arena, unsigned may, int server_version)
{
    struct buf out = buf_in(arena, 256);
    for (size_t i = 0; i < LENGTH(table_words); i++) {
        if (!(may & table_words[i].may) || server_version < table_words[i].since)
            continue;
        buf_add_text(&out, out.len > 0 ? "," : "");
        buf_add_text(&out, table_words[i].word);
    }
    return out.len == 0 ? STR_EMPTY : buf_str(&out);
}

/* ---- What a role allows ---- */
struct sum {
    struct arena *arena;
    const struct goal_access *access;
    struct role_group group;
    size_t size;
    str problem;
};

static bool
is_closed(str database)
{
    for (size_t i = 0; i < LENGTH(closed_databases); i++) {
        if (str_is(database, closed_databases[i]))
            return true;
    }
    return database.len > PG_NAME_BYTES;
}

static void
complain(struct arena *arena, str *problem_text, const char *format, str name)
{
    if (problem_text->len == 0)
        *problem_text = str_format(arena, format, name.data);
}

static error
allow(struct sum *sum, str database, str collection, unsigned may)
{
    struct role_group *group = &sum->group;
    if (is_closed(database)) {
        complain(sum->arena, &sum->problem, "Nobody can be given a role in the database \"%s\".", database);
        return OK;
    }
    for (size_t i = 0; i < group->count; i++) {
        struct role_privilege *have = &group->privileges[i];
        if (str_eq(have->database, database) && str_eq(have->collection, collection)) {
            have->may |= may | MAY_CONNECT;
            return OK;
        }
    }
    if (group->count == MOST_PRIVILEGES)
        return fail(sum->arena, OVERLOADED);
    if (group->count == sum->size) {
        size_t larger = sum->size == 0 ? 4 : sum->size * 2;
        struct role_privilege *more = ARENA_ARRAY(sum->arena, struct role_privilege, larger);
        if (more == NULL)
            return fail(sum->arena, OVERLOADED);
        if (group->count > 0)
            memcpy(more, group->privileges, group->count * sizeof(*more));
        group->privileges = more;
        sum->size = larger;
    }
    group->privileges[group->count++] = (struct role_privilege){ database, collection, may | MAY_CONNECT };
    return OK;
}

static error expand(struct sum *sum, const struct goal_role *role, int depth);

static error
expand_custom(struct sum *sum, const struct goal_custom_role *custom, int depth)
{
    for (size_t i = 0; i < custom->privileges.count; i++) {
        const struct goal_privilege *privilege = &custom->privileges.items[i];
        unsigned may = MAY_CONNECT;
        for (size_t k = 0; k < LENGTH(actions); k++) {
            if (str_is(privilege->action, actions[k].name)) {
                may = actions[k].may;
                sum->group.also |= privilege->database.len == 0 ? actions[k].also : 0;
            }
        }
        /* PostgreSQL has no owner of a part: what needs one is not given for a single table. */
        if (privilege->collection.len > 0)
            may &= ~(unsigned)MAY_OWN;
        TRY(allow(sum, privilege->database, privilege->collection, may));
    }
    for (size_t i = 0; i < custom->inherits.count; i++)
        TRY(expand(sum, &custom->inherits.items[i], depth + 1));
    return OK;
}

static error
expand(struct sum *sum, const struct goal_role *role, int depth)
{
    if (depth > MAX_INHERITANCE) {
        complain(sum->arena, &sum->problem, "Role \"%s\" inherits itself, or too deeply.", role->role);
        return OK;
    }
    for (size_t i = 0; i < LENGTH(builtins); i++) {
        const struct builtin *builtin = &builtins[i];
        if (!str_is(role->role, builtin->name))
            continue;
        sum->group.also |= builtin->also;
        if (builtin->everywhere)
            return allow(sum, STR_EMPTY, STR_EMPTY, builtin->may);
        unsigned may = role->collection.len > 0 ? builtin->may & ~(unsigned)(MAY_OWN | MAY_CREATE) : builtin->may;
        return allow(sum, role->database, role->collection, may);
    }
    for (size_t i = 0; i < sum->access->roles.count; i++) {
        if (str_eq(role->role, sum->access->roles.items[i].name))
            return expand_custom(sum, &sum->access->roles.items[i], depth);
    }
    complain(sum->arena, &sum->problem, "There is no role \"%s\".", role->role);
    return OK;
}

static int
compare_privileges(const void *a, const void *b)
{
    const struct role_privilege *x = a, *y = b;
    int order = str_compare(x->database, y->database);
    return order != 0 ? order : str_compare(x->collection, y->collection);
}

/* The same privileges in any order, from any role, are the same group. */
static void
name_group(struct arena *arena, struct role_group *group, const struct goal_role *role)
{
    struct buf exact = buf_in(arena, TEXT_BYTES);
    if (group->count > 0)
        qsort(group->privileges, group->count, sizeof(*group->privileges), compare_privileges);
    buf_format(&exact, "1 %u", group->also);
    for (size_t i = 0; i < group->count; i++) {
        const struct role_privilege *p = &group->privileges[i];
        buf_format(&exact, " %u:%zu:%.*s:%zu:%.*s", p->may, p->database.len, STR_ARG(p->database), p->collection.len,
                   STR_ARG(p->collection));
    }
    group->name = str_format(arena, RESERVED_PREFIX "g_%s", short_hash(arena, buf_str(&exact)).data);
    group->meaning = str_format(arena, "Made by reeve-agent for %.*s%s%.*s%s%.*s.", STR_ARG(role->role),
                                role->database.len > 0 ? " on " : "", STR_ARG(role->database),
                                role->collection.len > 0 ? "." : "", STR_ARG(role->collection));
}

/* ---- The plan ---- */
static void
add_once(struct wire_texts *list, str value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (str_eq(list->items[i], value))
            return;
    }
    list->items[list->count++] = value;
}

static void
add_group(struct role_plan *plan, const struct role_group *group)
{
    for (size_t i = 0; i < plan->group_count; i++) {
        if (str_eq(plan->groups[i].name, group->name))
            return;
    }
    plan->groups[plan->group_count++] = *group;
}

static error
plan_user(struct arena *arena, const struct goal_access *access, const struct goal_user *user, struct role_plan *plan)
{
    struct role_user *out = &plan->users[plan->user_count];
    *out = (struct role_user){ .name = role_name(arena, user->name),
                               .login = user->login,
                               .verifier = user->verifier,
                               .valid_until = user->valid_until,
                               .groups.items = ARENA_ARRAY(arena, str, user->roles.count + 1) };
    if (out->groups.items == NULL)
        return fail(arena, OVERLOADED);
    for (size_t i = 0; i < user->roles.count; i++) {
        struct sum sum = { .arena = arena, .access = access };
        TRY(expand(&sum, &user->roles.items[i], 0));
        if (plan->problem.len == 0)
            plan->problem = sum.problem;
        name_group(arena, &sum.group, &user->roles.items[i]);
        add_group(plan, &sum.group);
        add_once(&out->groups, sum.group.name);
        out->creates_databases |= (sum.group.also & ALSO_CREATE_DATABASE) != 0;
        out->creates_roles |= (sum.group.also & ALSO_CREATE_ROLE) != 0;
    }
    plan->user_count++;
    return OK;
}

static error
plan_support(struct arena *arena, const struct goal_access *access, struct role_plan *plan)
{
    for (size_t i = 0; i < access->support.count; i++) {
        const struct goal_support_user *one = &access->support.items[i];
        struct goal_user user = { .name = one->name,
                                  .login = LOGIN_SCRAM,
                                  .verifier = one->verifier,
                                  .valid_until = one->valid_until,
                                  .roles = one->roles };
        TRY(plan_user(arena, access, &user, plan));
        plan->users[plan->user_count - 1].is_recorded = true;
    }
    return OK;
}

static error
plan_databases(struct arena *arena, struct role_plan *plan)
{
    size_t most = 0;
    for (size_t i = 0; i < plan->group_count; i++)
        most += plan->groups[i].count;
    plan->databases.items = ARENA_ARRAY(arena, str, most + 1);
    if (plan->databases.items == NULL)
        return fail(arena, OVERLOADED);
    for (size_t i = 0; i < plan->group_count; i++) {
        for (size_t k = 0; k < plan->groups[i].count; k++) {
            if (plan->groups[i].privileges[k].database.len > 0)
                add_once(&plan->databases, plan->groups[i].privileges[k].database);
        }
    }
    return OK;
}

error
role_plan_make(struct arena *arena, const struct goal_access *access, struct role_plan *ret_plan)
{
    size_t roles = 0, users = access->users.count + access->support.count;
    for (size_t i = 0; i < access->users.count; i++)
        roles += access->users.items[i].roles.count;
    for (size_t i = 0; i < access->support.count; i++)
        roles += access->support.items[i].roles.count;
    struct role_plan plan = { .users = ARENA_ARRAY(arena, struct role_user, users + 1),
                              .groups = ARENA_ARRAY(arena, struct role_group, roles + 1) };
    if (plan.users == NULL || plan.groups == NULL)
        return fail(arena, OVERLOADED);
    for (size_t i = 0; i < access->users.count; i++) {
        const struct goal_user *user = &access->users.items[i];
        const char *why = role_name_problem(user->name);
        if (why != NULL)
            complain(arena, &plan.problem, "User \"%s\" cannot be made in PostgreSQL because of its name.", user->name);
        else
            TRY(plan_user(arena, access, user, &plan));
    }
    TRY(plan_support(arena, access, &plan));
    TRY(plan_databases(arena, &plan));
    if (arena_is_exhausted(arena))
        return fail(arena, OVERLOADED);
    *ret_plan = plan;
    return OK;
}

/* A group's name says everything about it, so only names are needed. */
void
role_plan_digest(struct arena *arena, const struct role_plan *plan, uint8_t ret_digest[SHA256_BYTES])
{
    struct buf all = buf_in(arena, 64 * 1024 * 1024);
    for (size_t i = 0; i < plan->user_count; i++) {
        const struct role_user *user = &plan->users[i];
        const str parts[] = { user->name, user->verifier, user->valid_until };
        buf_format(&all, "user %d %d %zu", (int)user->login, (int)user->is_recorded, user->groups.count);
        for (size_t k = 0; k < LENGTH(parts); k++)
            buf_format(&all, " %zu:%.*s", parts[k].len, STR_ARG(parts[k]));
        for (size_t k = 0; k < user->groups.count; k++)
            buf_format(&all, " %.*s", STR_ARG(user->groups.items[k]));
    }
    crypto_sha256(buf_str(&all), ret_digest);
}
