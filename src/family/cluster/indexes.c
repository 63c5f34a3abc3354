/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes on tables, built without locking writers out. */
#include "api/api.h"
#include "api/pattern.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/access/database_roles.h"
#include "family/families.h"
#include "job/kinds.h"
#include "store/cluster/cluster.h"
#include "store/cluster/index_task.h"

#define COLUMN_NAME "^[A-Za-z_][A-Za-z0-9_]{0,62}$"

static const struct field option_fields[] = {
    TEXT("name", "Name of the index; by default made from the table and the columns.", 0, .min = 1, .max = 63,
         .pattern = COLUMN_NAME, .example = "\"orders_by_customer\""),
    BOOL("unique", "Whether no two rows may have the same values.", 0, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema option_schema = { "IndexOptions", "Options of an index.", option_fields };

static const struct field index_fields[] = {
    TEXT("db", "Database that the table is in.", REQUIRED, .min = 1, .max = 63, .pattern = DATABASE_NAME,
         .example = "\"shop\""),
    TEXT("collection", "Table, with or without its schema.", REQUIRED, .min = 1, .max = 127, .pattern = TABLE_NAME,
         .example = "\"orders\""),
    LIST("keys",
         "Columns in their order, each an object with one field: the column's name, and 1 or -1 for its direction.",
         REQUIRED, .item = TYPE_OBJECT, .min = 1, .max = 32, .example = "[{\"customer\": 1}, {\"created\": -1}]"),
    OBJECT("options", "Name of the index, and whether it is unique.", 0, .of = &option_schema),
    END_OF_FIELDS,
};
static const struct schema index_schema = { "RollingIndex", "An index to build.", index_fields };

static handler index_create;

// clang-format off
static const struct endpoint indexes_endpoints[] = {
    { POST, "/groups/{groupId}/clusters/{clusterName}/index", S66,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN | PROJECT_INDEX_MANAGER), "createGroupClusterIndexRollingIndex",
      "Create one index on one cluster",
      "Builds an index without blocking writes to the table. Asynchronous; it takes longer than a plain build, and an event "
      "says when it ends.",
      .shape = SHAPE_NOTHING, .success = 202, .run = index_create, .request = &index_schema,
      .example = "{\"db\": \"shop\", \"collection\": \"orders\", \"keys\": [{\"customer\": 1}, {\"created\": -1}]}" },
};
// clang-format on

FAMILY(indexes_family, "indexes", "Indexes", "Creating database indexes on clusters without stopping writes.",
       indexes_endpoints);

/* 1, -1, and both as texts, as some clients write them. */
static bool
read_direction(const json_t *value, int *ret_direction)
{
    if (json_is_integer(value))
        *ret_direction = json_integer_value(value) == 1 ? 1 : json_integer_value(value) == -1 ? -1 : 0;
    else
        *ret_direction = str_is(json_str(value), "1") ? 1 : str_is(json_str(value), "-1") ? -1 : 0;
    return *ret_direction != 0;
}

static error
read_keys(struct request *req, json_t **ret_keys)
{
    size_t i;
    json_t *key;
    *ret_keys = json_in(req->arena, json_array());
    json_array_foreach(json_object_get(req->body, "keys"), i, key)
    {
        str place = str_format(req->arena, "keys[%zu]", i);
        void *first = json_object_iter(key);
        int direction;
        if (json_object_size(key) != 1)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(place),
                        V("it must have one field, the name of a column"));
        const char *column = json_object_iter_key(first);
        if (!pattern_matches(COLUMN_NAME, str_from(column)))
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(place),
                        V("the name of a column has letters, digits and _, and does not begin with a digit"));
        if (!read_direction(json_object_iter_value(first), &direction))
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(place),
                        V("the direction of a column is 1 or -1; there are no other kinds of indexes"));
        json_array_append_new(*ret_keys, json_pack("{s:i}", column, direction));
    }
    return OK;
}

static error
index_create(struct request *req)
{
    str name = request_path_value(req, "clusterName"), database = json_str(json_object_get(req->body, "db"));
    const json_t *options = json_object_get(req->body, "options"), *index_name = json_object_get(options, "name");
    bool found;
    id cluster, job;
    json_t *keys;
    TRY(store_cluster_find(req->tx, req->project, STR(CLUSTER_KIND), name, &found, &cluster));
    if (!found)
        return request_not_found(req);
    if (database_is_closed(database))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("db"), V("it must be one of your databases"));
    TRY(read_keys(req, &keys));
    json_t *wish = json_in(req->arena, json_pack("{s:O, s:O, s:O, s:b}", "database", json_object_get(req->body, "db"),
                                                 "collection", json_object_get(req->body, "collection"), "keys", keys,
                                                 "unique", json_is_true(json_object_get(options, "unique"))));
    if (index_name != NULL)
        json_object_set(wish, "name", (json_t *)index_name);
    json_t *payload = json_in(
        req->arena, json_pack("{s:s, s:O}", "clusterId", id_text(req->arena, cluster).data, "parameters", wish));
    if (payload == NULL)
        return fail(req->arena, OVERLOADED);
    struct job_draft draft = {
        .organization = req->organization,
        .project = req->project,
        .subject = id_new(store_cell(req->api->store)), /* its own: a long build holds up no change of the cluster */
        .subject_name = name,
        .payload = json_text(req->arena, payload),
    };
    TRY(job_add(req->tx, &index_create_job, draft, &job));
    TRY(request_event(req, EVENT_INDEX_REQUESTED, NULL, wish));
    answer_nothing(req);
    return OK;
}
