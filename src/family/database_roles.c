/* SPDX-License-Identifier: Apache-2.0 */
#include "family/database_roles.h"

#include "base/json.h"
#include "store/resource.h"

#define ROLE_ROW(name, everywhere, takes_table, sentence) { name, everywhere, takes_table },
static const struct {
    const char *name;
    bool everywhere, takes_table;
} roles[] = { DATABASE_ROLE_TABLE(ROLE_ROW) };
#undef ROLE_ROW

enum action_object { ON_TABLE, ON_DATABASE };
#define ACTION_ROW(name, object, sentence) { name, object },
static const struct {
    const char *name;
    enum action_object object;
} actions[] = { DATABASE_ACTION_TABLE(ACTION_ROW) };
#undef ACTION_ROW

#define ACTION_NAME(name, object, sentence) name,
const char *const database_action_names[] = { DATABASE_ACTION_TABLE(ACTION_NAME) NULL };
#undef ACTION_NAME

static error
refuse(struct request *req, str place, const char *field, const char *why)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "%.*s.%s", STR_ARG(place), field)),
                V(why));
}

/* Databases that every server has and that belong to it. */
static bool
is_template(str database)
{
    return str_is(database, "template0") || str_is(database, "template1");
}

static error
check_custom(struct request *req, const struct role_use *use)
{
    struct resource ignored;
    bool found;
    TRY(store_resource_lock(req->tx, req->project, STR("customRole"), use->role, &found, &ignored));
    if (!found)
        return refuse(req, use->place, use->role_field, "the project has no such role");
    if (!str_is(use->database, EVERY_DATABASE))
        return refuse(req, use->place, use->database_field, "a custom role is granted in the database admin");
    if (use->collection.len > 0)
        return refuse(req, use->place, use->collection_field, "a custom role cannot be held on one collection");
    return OK;
}

error
database_role_check(struct request *req, const struct role_use *use)
{
    for (size_t i = 0; i < LENGTH(roles); i++) {
        if (!str_is(use->role, roles[i].name))
            continue;
        if (roles[i].everywhere && !str_is(use->database, EVERY_DATABASE))
            return refuse(req, use->place, use->database_field, "this role is granted in the database admin");
        if (!roles[i].everywhere && (is_template(use->database) || str_is(use->database, EVERY_DATABASE)))
            return refuse(req, use->place, use->database_field, "this role is granted in a database of yours");
        if (!roles[i].takes_table && use->collection.len > 0)
            return refuse(req, use->place, use->collection_field, "this role cannot be held on one collection");
        return OK;
    }
    return check_custom(req, use);
}

error
database_action_check(struct request *req, str place, str action, const json_t *resource)
{
    str database = json_str(json_object_get(resource, "db"));
    str collection = json_str(json_object_get(resource, "collection"));
    if (is_template(database) || str_is(database, EVERY_DATABASE))
        return refuse(req, place, "db", "it must be a database of yours");
    for (size_t i = 0; i < LENGTH(actions); i++) {
        if (str_is(action, actions[i].name) && actions[i].object == ON_DATABASE && collection.len > 0)
            return refuse(req, place, "collection", "this action is granted in a whole database");
    }
    return OK;
}

error
database_name_is_free(struct request *req, const char *field, str name, str other_kind)
{
    static const char *const taken[] = { "postgres",     "public",       "none", "current_user",
                                         "session_user", "current_role", "user" };
    static const char *const prefixes[] = { "pg_", "reeve" };
    struct resource ignored;
    bool found = false;
    for (size_t i = 0; i < LENGTH(taken); i++)
        found |= str_eq_nocase(name, str_from(taken[i]));
    for (size_t i = 0; i < LENGTH(prefixes); i++) {
        size_t length = strlen(prefixes[i]);
        found |= name.len >= length && str_eq_nocase(str_slice(name, 0, length), str_from(prefixes[i]));
    }
    for (size_t i = 0; i < LENGTH(roles); i++)
        found |= str_is(name, roles[i].name);
    if (found)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V("this name is reserved"));
    TRY(store_resource_lock(req->tx, req->project, other_kind, name, &found, &ignored));
    return found ? fail(req->arena, DUPLICATE_NAME, V(field), V(name)) : OK;
}
