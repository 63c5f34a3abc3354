/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extensions of PostgreSQL in databases of clusters. Tenants choose from a list (wire/extension/extension.h); the agent of the primary makes them as the
 * superuser, so that they work and nobody else can drop them.
 */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cluster/part.h"
#include "family/access/database_roles.h"
#include "family/cluster/clusters.h"
#include "family/families.h"
#include "job/cluster/cluster_jobs.h"
#include "wire/extension/extension.h"

#define EXTENSION_NAME "^[a-z][a-z0-9_-]{0,62}$"

// clang-format off
static const struct field extension_fields[] = {
    TEXT("name", "Name of the extension, as PostgreSQL has it.", REQUIRED | ALWAYS, .min = 1, .max = 63, .pattern = EXTENSION_NAME, .example = "\"vector\""),
    TEXT("databaseName", "Database that has it.", REQUIRED | ALWAYS, .min = 1, .max = 63, .pattern = DATABASE_NAME, .example = "\"shop\""),
    TEXT("clusterName", "Cluster of the database.", READ_ONLY | ALWAYS),
    TEXT("schemaName", "Schema that its types and functions are in. It is found without being named, unless the database has a search_path of its own.", READ_ONLY | ALWAYS,
         .example = "\"" EXTENSION_SCHEMA "\""),
    TEXT("version", "Version that the hosts of the cluster had when it was asked for.", READ_ONLY | ALWAYS, .example = "\"0.8.0\""),
    TEXT("state", "Whether it can be used.", READ_ONLY | ALWAYS, .one_of = extension_state_names),
    TEXT("problem", "Why it could not be made or removed.", READ_ONLY),
    DATE("createDate", "When it was asked for.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema extension_schema = { "DatabaseExtension", "An extension of PostgreSQL in one database.", extension_fields };

static const struct field offer_fields[] = {
    TEXT("name", "Name of the extension.", READ_ONLY | ALWAYS),
    BOOL("offered", "Whether databases of this cluster can have it.", READ_ONLY | ALWAYS),
    TEXT("version", "Version that every host of the cluster has.", READ_ONLY),
    TEXT("description", "What it is for.", READ_ONLY),
    TEXT("reason", "Why it is not offered.", READ_ONLY),
    TEXT("needs", "Extension that the database must have before.", READ_ONLY),
    BOOL("restarts", "Whether members may have to restart for it, one by one.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema offer_schema = { "ExtensionOffer", "An extension that can be had, or the reason why it cannot.", offer_fields };

static const struct field extension_path[] = {
    TEXT("databaseName", "Database that has it.", 0, .pattern = DATABASE_NAME),
    TEXT("extensionName", "Name of the extension.", 0, .pattern = EXTENSION_NAME, .example = "\"vector\""),
    END_OF_FIELDS,
};

static const struct read extension_list, extension_get;
static handler offers_list, extension_create, extension_delete;

#define ITEM "/groups/{groupId}/clusters/{clusterName}/extensions/{databaseName}/{extensionName}"
static const struct endpoint extensions_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/extensions", S17, ANY_OF(PROJECT_READ_ONLY), "listGroupClusterExtensions",
      "Return all extensions in databases of one cluster",
      "Lists the extensions of PostgreSQL that were made in databases of the cluster through this service. An extension of this service.",
      .shape = SHAPE_LIST, .flags = EXTENSION, .item = ITEM, .read = &extension_list, .response = &extension_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}/extensions", S17, ANY_OF(PROJECT_CLUSTER_MANAGER), "createGroupClusterExtension",
      "Create one extension in one database",
      "Makes an extension of PostgreSQL in a database of the cluster. Asynchronous. If servers must load it when they start, members restart one by one first. "
      "An extension of this service.",
      .flags = EXTENSION, .item = ITEM, .run = extension_create, .request = &extension_schema, .response = &extension_schema,
      .example = "{\"name\": \"vector\", \"databaseName\": \"shop\"}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/extensionOffers", S17, ANY_OF(PROJECT_READ_ONLY), "listGroupClusterExtensionOffers",
      "Return the extensions that databases of one cluster can have",
      "Lists extensions of PostgreSQL that every host of the cluster has, with their versions, and those that are refused, with the reason. An extension of this service.",
      .shape = SHAPE_LIST, .flags = EXTENSION, .run = offers_list, .response = &offer_schema },
    { DELETE, ITEM, S17, ANY_OF(PROJECT_CLUSTER_MANAGER), "deleteGroupClusterExtension",
      "Remove one extension from one database",
      "Drops the extension when nothing depends on it. Asynchronous: when something does, it stays, and `problem` names what. An extension of this service.",
      .shape = SHAPE_NOTHING, .success = 202, .flags = EXTENSION, .run = extension_delete, .path_fields = extension_path },
    { GET, ITEM, S17, ANY_OF(PROJECT_READ_ONLY), "getGroupClusterExtension",
      "Return one extension of one database",
      "Returns whether the extension can be used, and if not, why. An extension of this service.",
      .flags = EXTENSION, .read = &extension_get, .path_fields = extension_path, .response = &extension_schema },
};
// clang-format on

FAMILY(extensions_family, "extensions", "Database extensions",
       "Extensions of PostgreSQL in databases of clusters. An extension of this service.", extensions_endpoints);

/* ---- Reading ---- */
static error
bind_list(struct request *req, struct params *params)
{
    list_bind(req, params);
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_NAME, request_path_value(req, "clusterName"));
    return OK;
}

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, STR(EXTENSION_KIND));
    params_text(params, P_NAME,
                extension_part_name(req->arena, request_path_value(req, "clusterName"),
                                    request_path_value(req, "databaseName"), request_path_value(req, "extensionName")));
    return OK;
}

static const struct read extension_list = { SQL_EXTENSION_LIST, bind_list, list_answer_below };
static const struct read extension_get = { SQL_CLUSTER_PART_GET, bind_get, answer_row };

/* ---- What is offered ---- */
/* {"vector": "0.8.0"} */
static error
read_offer(struct request *req, json_t **ret_offer)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, req->project);
    params_text(&params, P_NAME, request_path_value(req, "clusterName"));
    TRY(store_read(req->api->store, req->arena, SQL_EXTENSION_OFFER, &params, &rows));
    if (rows.count == 0)
        return request_not_found(req);
    *ret_offer = json_parse_own(req->arena, rows_text(&rows, 0, C_DOCUMENT));
    return OK;
}

static const char not_everywhere[] = "not every host of the cluster has it, in one version; the operator installs it";

static json_t *
offer_of(const struct extension_row *row, json_t *version)
{
    bool offered = extension_is_offered(row) && version != NULL;
    json_t *item = json_pack("{s:s, s:b, s:b}", "name", row->name, "offered", (int)offered, "restarts",
                             (int)(row->library != NULL));
    if (offered)
        json_object_set(item, "version", version);
    else
        json_object_set_new(item, "reason",
                            json_string(extension_is_offered(row) ? not_everywhere : extension_refusal(row)));
    if (row->description != NULL)
        json_object_set_new(item, "description", json_string(row->description));
    if (row->needs != NULL)
        json_object_set_new(item, "needs", json_string(row->needs));
    return item;
}

/* It is short, so a page is cut out of the whole. */
static error
offers_list(struct request *req)
{
    int64_t total = 0, from = (req->page.number - 1) * req->page.size;
    json_t *offer;
    TRY(read_offer(req, &offer));
    while (extension_rows[total].name != NULL)
        total++;
    answer_list(req, total, from + req->page.size < total);
    for (int64_t i = from; i < total && i < from + req->page.size; i++) {
        const struct extension_row *row = &extension_rows[i];
        json_t *item = json_in(req->arena, offer_of(row, json_object_get(offer, row->name)));
        answer_item(req, json_text(req->arena, item), STR_EMPTY);
    }
    return OK;
}

/* ---- One more ---- */
static error
check_offered(struct request *req, str name, const struct extension_row **ret_row, const json_t **ret_version)
{
    json_t *offer;
    *ret_row = extension_find(name);
    if (!extension_is_offered(*ret_row))
        return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "The extension %.*s", STR_ARG(name))),
                    V(extension_refusal(*ret_row)));
    TRY(read_offer(req, &offer));
    *ret_version = json_object_get(offer, (*ret_row)->name);
    if (*ret_version == NULL)
        return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "The extension %.*s", STR_ARG(name))),
                    V(not_everywhere));
    return OK;
}

static bool
is_active(const struct cluster_part *part)
{
    return str_word(part->state, extension_state_names) == EXTENSION_ACTIVE;
}

static error
check_needs(struct request *req, const struct cluster *cluster, str database, const struct extension_row *row)
{
    struct cluster_part part;
    bool found;
    if (row->needs == NULL)
        return OK;
    TRY(store_part_lock(req->tx, req->project, STR(EXTENSION_KIND),
                        extension_part_name(req->arena, cluster->name, database, str_from(row->needs)), &found, &part));
    if (found && is_active(&part))
        return OK;
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("name"),
                V(str_format(req->arena, "%s needs the extension %s in the same database; create that first", row->name,
                             row->needs)));
}

/* What servers load is in the cluster's document, beside its settings, and shown nowhere. */
static error
add_library(struct request *req, const struct cluster *cluster, str database, const struct extension_row *row,
            json_t **ret_document)
{
    *ret_document = json_in(req->arena, json_deep_copy(cluster->document));
    if (row->library == NULL)
        return OK;
    json_t *libraries = json_object_get(*ret_document, EXTENSION_LIBRARIES), *settings = json_object();
    if (row->database_setting != NULL) {
        str other = json_str(json_object_get(json_object_get(libraries, row->library), row->database_setting));
        if (other.len > 0 && !str_eq(other, database)) {
            json_decref(settings);
            return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(cluster->name),
                        V(str_format(req->arena, "%s works in one database of a cluster, which is %.*s", row->name,
                                     STR_ARG(other))));
        }
        json_object_set_new(settings, row->database_setting, json_stringn(database.data, database.len));
    }
    if (row->settings[0] != NULL)
        json_object_set_new(settings, row->settings[0], json_string(row->settings[1]));
    if (libraries == NULL)
        json_object_set_new(*ret_document, EXTENSION_LIBRARIES, libraries = json_object());
    json_object_set_new(libraries, row->library, settings);
    return OK;
}

static error
take_cluster(struct request *req, struct cluster *ret_cluster)
{
    bool found;
    TRY(store_cluster_lock(req->tx, req->organization, req->project, STR(CLUSTER_KIND),
                           request_path_value(req, "clusterName"), &found, ret_cluster));
    if (!found)
        return request_not_found(req);
    TRY(cluster_check_changeable(req, ret_cluster));
    if (json_is_true(json_object_get(ret_cluster->document, "paused")))
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(ret_cluster->name), V("it is paused"));
    return OK;
}

static error
submit(struct request *req, struct cluster *cluster, const json_t *document, const struct cluster_part *part,
       const struct job_kind *job)
{
    TRY(store_part_put(req->tx, req->organization, req->project, part));
    return cluster_submit(req, cluster, document, job,
                          json_in(req->arena, json_pack("{s:s}", "extension", part->name.data)));
}

static error
answer_stored(struct request *req, const struct cluster_part *part, str name)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, req->project);
    params_text(&params, P_KIND, part->kind);
    params_text(&params, P_NAME, part->name);
    TRY(tx_query(req->tx, SQL_CLUSTER_PART_GET, &params, &rows, NULL));
    answer_created(req, rows_text(&rows, 0, C_DOCUMENT), name, rows_int(&rows, 0, C_REVISION));
    return OK;
}

static error
extension_create(struct request *req)
{
    struct cluster cluster;
    struct cluster_part part;
    const struct extension_row *row;
    const json_t *version;
    json_t *document;
    bool found;
    str name = json_str(json_object_get(req->body, "name")),
        database = json_str(json_object_get(req->body, "databaseName"));
    TRY(take_cluster(req, &cluster));
    if (database_is_closed(database))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("databaseName"), V("it must be one of your databases"));
    TRY(check_offered(req, name, &row, &version));
    TRY(check_needs(req, &cluster, database, row));
    str part_name = extension_part_name(req->arena, cluster.name, database, name);
    TRY(store_part_lock(req->tx, req->project, STR(EXTENSION_KIND), part_name, &found, &part));
    if (found && str_word(part.state, extension_state_names) != EXTENSION_FAILED)
        return fail(req->arena, DUPLICATE_NAME, V("name"), V(name));
    TRY(add_library(req, &cluster, database, row, &document));
    json_t *shown =
        json_in(req->arena, json_pack("{s:s, s:O, s:s, s:s, s:O, s:s}", "name", row->name, "databaseName",
                                      json_object_get(req->body, "databaseName"), "clusterName",
                                      str_dup(req->arena, cluster.name).data, "schemaName",
                                      row->is_in_catalog ? "pg_catalog" : EXTENSION_SCHEMA, "version", version,
                                      "createDate", date_text(req->arena, clock_now_ms() / 1000 * 1000).data));
    part = (struct cluster_part){ .id = found ? part.id : id_new(store_cell(req->api->store)),
                                  .kind = STR(EXTENSION_KIND),
                                  .name = part_name };
    part_set(req->arena, &part, shown, extension_state_names[EXTENSION_CREATING]);
    TRY(submit(req, &cluster, document, &part, &extension_create_job));
    TRY(request_event(req, EVENT_EXTENSION_REQUESTED, NULL, shown));
    return answer_stored(req, &part, name);
}

/* ---- One less ---- */
static error
extension_delete(struct request *req)
{
    struct cluster cluster;
    struct cluster_part part;
    bool found;
    TRY(take_cluster(req, &cluster));
    str part_name = extension_part_name(req->arena, cluster.name, request_path_value(req, "databaseName"),
                                        request_path_value(req, "extensionName"));
    TRY(store_part_lock(req->tx, req->project, STR(EXTENSION_KIND), part_name, &found, &part));
    if (!found)
        return request_not_found(req);
    answer_nothing(req);
    if (str_word(part.state, extension_state_names) == EXTENSION_DELETING)
        return OK; /* it is on its way already */
    json_t *before = json_parse_own(req->arena, part.document), *after = json_in(req->arena, json_deep_copy(before));
    json_object_del(after, "problem");
    part_set(req->arena, &part, after, extension_state_names[EXTENSION_DELETING]);
    TRY(submit(req, &cluster, cluster.document, &part, &extension_drop_job));
    return request_event(req, EVENT_EXTENSION_REMOVAL_REQUESTED, before, NULL);
}
