/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users and roles of the API as roles of PostgreSQL (docs/internals/engine.md says which is which). In two parts: a
 * plan, computed from the goal alone, and applying it on the primary.
 *
 * What a role of the API allows becomes a *group*: a role without login whose name is a hash of what it allows. So
 * groups are never changed, only made and dropped; a change of a user changes its groups.
 */
#ifndef ENGINE_POSTGRES_ROLES_H
#define ENGINE_POSTGRES_ROLES_H

#include "base/crypto/crypto.h"
#include "wire/goal.h"

/* What may be done with tables, and around them. */
enum {
    MAY_SELECT = 1 << 0,
    MAY_INSERT = 1 << 1,
    MAY_UPDATE = 1 << 2,
    MAY_DELETE = 1 << 3,
    MAY_TRUNCATE = 1 << 4,
    MAY_REFERENCE = 1 << 5,
    MAY_TRIGGER = 1 << 6,
    MAY_MAINTAIN = 1 << 7, /* from PostgreSQL 17 on */
    MAY_CREATE = 1 << 8,   /* in schemas */
    MAY_OWN = 1 << 9,      /* member of the role that owns the database */
    MAY_CONNECT = 1 << 10, /* implied by everything else */
};
/*
 * Roles that PostgreSQL has of its own, and attributes. Not among them: pg_read_all_data, which reads the verifiers in pg_authid, too
 * (S11), and pg_maintain, which may lock pg_authid and so keep everybody out, the agent included. Both are granted table by table.
 */
enum {
    ALSO_MONITOR = 1 << 3,
    ALSO_SIGNAL = 1 << 4,
    ALSO_CREATE_DATABASE = 1 << 5,
    ALSO_CREATE_ROLE = 1 << 6,
};

struct role_privilege {
    str database;   /* empty: every database */
    str collection; /* empty: every table */
    unsigned may;
};
struct role_group {
    str name;    /* "reeve_g_" and a hash */
    str meaning; /* for its comment */
    size_t count;
    struct role_privilege *privileges; /* sorted, each place once */
    unsigned also;
};
struct role_user {
    str name; /* of the role */
    enum goal_login login;
    str verifier, valid_until;
    struct wire_texts groups;
    bool creates_databases, creates_roles;
    bool is_recorded; /* every statement of theirs is in the server's log */
};
struct role_plan {
    struct wire_texts databases; /* that must be there */
    size_t group_count, user_count;
    struct role_group *groups;
    struct role_user *users;
    str problem; /* about the first user or role that could not be taken over; empty: none */
};

MUST_USE error role_plan_make(struct arena *arena, const struct goal_access *access, struct role_plan *ret_plan);

/* Equal for plans that ask for the same. */
void role_plan_digest(struct arena *arena, const struct role_plan *plan, uint8_t ret_digest[SHA256_BYTES]);

/* The name of a user's role: its own, or its beginning and a hash when PostgreSQL has no room for it. */
str role_name(struct arena *arena, str user);
/* Why this cannot be a role's name, as half a sentence, or NULL. */
const char *role_name_problem(str user);
/* Of the role that owns a database. */
str role_of_owner(struct arena *arena, str database);
/* "SELECT,INSERT"; without MAINTAIN on servers that do not know it. Empty when there is nothing to grant on tables. */
str role_table_privileges(struct arena *arena, unsigned may, int server_version);

#endif
