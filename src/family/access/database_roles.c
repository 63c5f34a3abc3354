/* SPDX-License-Identifier: Apache-2.0 */
#include "family/access/database_roles.h"

#include "base/json.h"
#include "store/resource.h"

#define ROLE_ROW(name, everywhere, takes_table, sentence) { name, everywhere, takes_table },
static const struct {
    const char *name;
    bool everywhere, takes_table;
} roles[] = { DATABASE_ROLE_TABLE(ROLE_ROW) };
#undef ROLE_ROW

enum action_object { ON_TABLE, ON_DATABASE, ON_CLUSTER };
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

bool
database_is_closed(str database)
{
    static const char *const closed[] = { "postgres", "template0", "template1", EVERY_DATABASE };
    for (size_t i = 0; i < LENGTH(closed); i++) {
        if (str_is(database, closed[i]))
            return true;
    }
    return false;
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
        return refuse(req, use->place, use->database_field, "a custom role must be granted in the database admin");
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
            return refuse(req, use->place, use->database_field, "this role must be granted in the database admin");
        if (!roles[i].everywhere && database_is_closed(use->database))
            return refuse(req, use->place, use->database_field, "this role must be granted in one of your databases");
        if (!roles[i].takes_table && use->collection.len > 0)
            return refuse(req, use->place, use->collection_field, "this role cannot be held on one collection");
        return OK;
    }
    return check_custom(req, use);
}

static error
check_on_cluster(struct request *req, str place, const json_t *resource)
{
    if (!json_is_true(json_object_get(resource, "cluster")))
        return refuse(req, place, "cluster", "this action is for the whole cluster; send true");
    if (json_object_get(resource, "db") != NULL)
        return refuse(req, place, "db", "this action is for the whole cluster; leave db out");
    return OK;
}

static error
check_in_database(struct request *req, str place, enum action_object object, const json_t *resource)
{
    const json_t *database = json_object_get(resource, "db");
    if (json_is_true(json_object_get(resource, "cluster")))
        return refuse(req, place, "cluster", "this action is for a database, not for the whole cluster");
    if (database == NULL)
        return fail(req->arena, MISSING_ATTRIBUTE, V(str_format(req->arena, "%.*s.db", STR_ARG(place))));
    if (database_is_closed(json_str(database)))
        return refuse(req, place, "db", "it must be one of your databases");
    if (object == ON_DATABASE && json_str(json_object_get(resource, "collection")).len > 0)
        return refuse(req, place, "collection", "this action is for a whole database; leave collection out");
    return OK;
}

error
database_action_check(struct request *req, str place, str action, const json_t *resource)
{
    for (size_t i = 0; i < LENGTH(actions); i++) {
        if (str_is(action, actions[i].name))
            return actions[i].object == ON_CLUSTER ? check_on_cluster(req, place, resource)
                                                   : check_in_database(req, place, actions[i].object, resource);
    }
    return OK; /* the field table lets no other through */
}

error
database_name_is_free(struct request *req, const char *field, str name, str other_kind)
{
    struct resource ignored;
    bool found = false;
    if (database_name_is_reserved(name))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V("this name is reserved; choose another one"));
    TRY(store_resource_lock(req->tx, req->project, other_kind, name, &found, &ignored));
    return found ? fail(req->arena, DUPLICATE_NAME, V(field), V(name)) : OK;
}
