/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be granted in databases: the built-in roles, and the actions of custom roles. The engine makes them true
 * (docs/internals/engine.md); a name that is in no table here is refused.
 */
#ifndef FAMILY_ACCESS_DATABASE_ROLES_H
#define FAMILY_ACCESS_DATABASE_ROLES_H

#include "api/request.h"
#include "cluster/database_name.h"
#include "cluster/database_role_table.h"

// clang-format off
/* ROW(name, what it is done to, sentence) */
#define DATABASE_ACTION_TABLE(ROW) \
    ROW("FIND",                      ON_TABLE,    "Reads rows.") \
    ROW("INSERT",                    ON_TABLE,    "Adds rows.") \
    ROW("UPDATE",                    ON_TABLE,    "Changes rows.") \
    ROW("REMOVE",                    ON_TABLE,    "Removes rows.") \
    ROW("ANALYZE",                   ON_TABLE,    "Has statistics collected.") \
    ROW("COMPACT",                   ON_TABLE,    "Has unused space given back.") \
    ROW("RE_INDEX",                  ON_TABLE,    "Builds indexes again.") \
    ROW("CREATE_COLLECTION",         ON_DATABASE, "Creates tables.") \
    ROW("COLL_MOD",                  ON_DATABASE, "Changes tables.") \
    ROW("RENAME_COLLECTION_SAME_DB", ON_DATABASE, "Renames tables.") \
    ROW("DROP_COLLECTION",           ON_DATABASE, "Removes tables.") \
    ROW("CREATE_INDEX",              ON_DATABASE, "Creates indexes.") \
    ROW("DROP_INDEX",                ON_DATABASE, "Removes indexes.") \
    ROW("SERVER_STATUS",             ON_CLUSTER,  "Sees what the servers do.") \
    ROW("IN_PROG",                   ON_CLUSTER,  "Sees what runs at this moment.") \
    ROW("TOP",                       ON_CLUSTER,  "Sees how tables are used.") \
    ROW("CONN_POOL_STATS",           ON_CLUSTER,  "Sees connections.") \
    ROW("GET_PARAMETER",             ON_CLUSTER,  "Sees all settings.") \
    ROW("HOST_INFO",                 ON_CLUSTER,  "Sees what the servers run on.") \
    ROW("KILL_OP",                   ON_CLUSTER,  "Ends statements of others.") \
    ROW("KILL_ANY_SESSION",          ON_CLUSTER,  "Ends sessions of others.")
// clang-format on

/* A role for all databases is granted in this one, which need not exist. */
#define EVERY_DATABASE "admin"

/* Names that PostgreSQL accepts without quotes, except for their case; a table may have its schema in front. */
#define DATABASE_NAME   "^[A-Za-z_][A-Za-z0-9_-]{0,62}$"
#define TABLE_NAME      "^[A-Za-z_][A-Za-z0-9_]{0,62}([.][A-Za-z_][A-Za-z0-9_]{0,62})?$"
#define TABLE_NAME_OR   "^([A-Za-z_][A-Za-z0-9_]{0,62}([.][A-Za-z_][A-Za-z0-9_]{0,62})?)?$"
#define ROLE_NAME       "^[A-Za-z_][A-Za-z0-9_-]{0,62}$"
#define ROLE_NAME_BYTES DATABASE_NAME_MAX_BYTES /* of a role in PostgreSQL: users and roles alike */

/* What a custom role may do, in names; NULL at the end. */
extern const char *const database_action_names[];

/*
 * `place` is the path of the object in the body ("roles[0]"); the fields are named as the caller calls them. The caller
 * has locked the project, so that a custom role cannot be removed. `collection` may be empty.
 */
struct role_use {
    str place;
    const char *role_field, *database_field, *collection_field;
    str role, database, collection;
};
MUST_USE error database_role_check(struct request *req, const struct role_use *use);
MUST_USE error database_action_check(struct request *req, str place, str action, const json_t *resource);

/* Databases of every server that tenants may not use, and the one that stands for all. */
bool database_is_closed(str database);

/* Names of users and custom roles are roles in PostgreSQL, which has one set of names for both and some of its own. */
MUST_USE error database_name_is_free(struct request *req, const char *field, str name, str other_kind);

#endif
