/* SPDX-License-Identifier: Apache-2.0 */
/* Etcd groups: where members of clusters agree. */
#include "store/etcd/etcd.h"
#include "base/crypto/etcd_password.h"
#include "base/json.h"
#include "operator/parts.h"
#include "store/fleet/fleet.h"

#define GROUP_NAME "^[a-z0-9][a-z0-9-]{0,62}$"
enum { MOST_CLUSTERS = 1000000 };

/* ---- Tables ---- */
#define CAPACITY "How many clusters it can have; 0 for no limit."
static const struct field group_fields[] = {
    TEXT("name", "Name of the group.", REQUIRED | ALWAYS, .max = 63, .pattern = GROUP_NAME, .example = "\"west1\""),
    LIST("endpoints", "Addresses of its servers. Without any: `etcd` of reeve.conf.", REQUIRED | ALWAYS, .min = 1,
         .max = 15, .item = TYPE_TEXT, .example = "[\"https://10.0.0.21:2379\"]"),
    LIST("regions", "Regions whose clusters use it, as PROVIDER/REGION; an empty list for all regions.", ALWAYS,
         .max = 200, .item = TYPE_TEXT, .example = "[\"OWN/EU_WEST\"]"),
    INTEGER("capacity", CAPACITY, 0, .min = 0, .max = MOST_CLUSTERS, .example = "500"),
    TEXT("state", "ACTIVE, or DRAINING when it gets no new clusters.", READ_ONLY),
    TEXT("auth",
         "OFF: anybody with a certificate of the fleet can do everything in it. PREPARED: clusters get users. ON: "
         "every request needs a user.",
         READ_ONLY),
    TEXT("waitsFor", "Why it is not ON yet.", READ_ONLY),
    INTEGER("clusters", "How many clusters it has.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema group_schema = { "EtcdGroup", "A group of etcd servers.", group_fields };

static const struct field change_fields[] = {
    INTEGER("capacity", CAPACITY, 0, .min = 0, .max = MOST_CLUSTERS),
    TEXT("state", "ACTIVE, or DRAINING when it gets no new clusters.", 0, .max = 8, .pattern = "^(ACTIVE|DRAINING)$"),
    END_OF_FIELDS,
};
static const struct schema change_schema = { "EtcdGroupChange", "A change of an etcd group.", change_fields };

static const struct field group_path[] = {
    TEXT("groupName", "Name of the group.", 0, .max = 63, .pattern = GROUP_NAME, .example = "\"west1\""),
    END_OF_FIELDS,
};

/* ---- Operations ---- */
static error
list_groups(struct request *req)
{
    str list;
    TRY(store_fleet_list(req->api->store, req->arena, SQL_ETCD_GROUP_LIST, STR_EMPTY, &list));
    return answer_array(req, list, "name");
}

static error
new_root(struct request *req, str group, str *ret_sealed)
{
    return etcd_password_of_root_new(req->arena, &operator_api_of(req)->fleet.etcd_key, group, ret_sealed)
               ? OK
               : fail(req->arena, INTERNAL_ERROR);
}

/* Members connect to these with their certificates, so nothing else than TLS will do. */
static error
check_endpoints(struct request *req, const json_t *endpoints)
{
    for (size_t i = 0; i < json_array_size(endpoints); i++) {
        str url = json_str(json_array_get(endpoints, i));
        if (!str_starts_with(url, STR("https://")) || str_ends_with(url, STR("/")) || !str_is_one_line(url))
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("endpoints"),
                        V("each must be https://HOST:PORT, with nothing after the port"));
    }
    return OK;
}

static error
add_group(struct request *req)
{
    bool added;
    const json_t *regions = json_object_get(req->body, "regions");
    struct etcd_group_draft draft = {
        .name = json_str(json_object_get(req->body, "name")),
        .endpoints = json_text(req->arena, json_object_get(req->body, "endpoints")),
        .regions = regions == NULL ? STR("[]") : json_text(req->arena, regions),
        .capacity = json_integer_value(json_object_get(req->body, "capacity")),
    };
    TRY(check_endpoints(req, json_object_get(req->body, "endpoints")));
    TRY(new_root(req, draft.name, &draft.sealed_root));
    TRY(store_etcd_group_add(req->tx, &draft, &added));
    if (!added)
        return fail(req->arena, DUPLICATE_NAME, V("name"), V(draft.name));
    answer_entity(req, json_text(req->arena, req->body), 0);
    return OK;
}

static error
change(struct request *req, struct etcd_group_change *wanted)
{
    bool is_there;
    wanted->name = request_path_value(req, "groupName");
    TRY(new_root(req, wanted->name, &wanted->sealed_root));
    TRY(store_etcd_group_change(req->tx, wanted, &is_there));
    if (!is_there)
        return request_not_found(req);
    answer_nothing(req);
    return OK;
}

static error
change_group(struct request *req)
{
    const json_t *capacity = json_object_get(req->body, "capacity");
    struct etcd_group_change wanted = {
        .state = json_str(json_object_get(req->body, "state")),
        .capacity = capacity == NULL ? -1 : json_integer_value(capacity),
    };
    return change(req, &wanted);
}

static error
secure_group(struct request *req)
{
    struct etcd_group_change wanted = { .state = STR_EMPTY, .capacity = -1, .secure = true };
    return change(req, &wanted);
}

static error
remove_group(struct request *req)
{
    bool is_there, is_used;
    str name = request_path_value(req, "groupName");
    TRY(store_etcd_group_remove(req->tx, name, &is_there, &is_used));
    if (is_used)
        return fail(req->arena, STILL_IN_USE, V("Group"), V(name), V("it has clusters"));
    if (!is_there)
        return request_not_found(req);
    answer_nothing(req);
    return OK;
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/etcdGroups", 0, FOR_OPERATORS, "listEtcdGroups", "Return all etcd groups",
      "Lists the etcd groups, how many clusters each has, and whether its authentication is on.",
      SHAPE_LIST, .run = list_groups, .response = &group_schema },
    { POST, "/etcdGroups", 0, FOR_OPERATORS, "addEtcdGroup", "Add one etcd group",
      "Adds etcd servers that nobody else uses. New clusters in its regions use the group while it has room. Workers turn its "
      "authentication on: the service makes root's password and shows it to nobody, and each cluster gets a user for its own "
      "keys only.",
      SHAPE_ENTITY, .run = add_group, .request = &group_schema, .response = &group_schema,
      .example = "{\"name\": \"west1\", \"endpoints\": [\"https://10.0.0.21:2379\"], \"regions\": [\"OWN/EU_WEST\"], \"capacity\": 500}" },
    { PATCH, "/etcdGroups/{groupName}", 0, FOR_OPERATORS, "changeEtcdGroup", "Change one etcd group",
      "Changes how many clusters it can have, or whether it gets new ones. Its clusters stay.",
      SHAPE_NOTHING, .run = change_group, .request = &change_schema, .path_fields = group_path, .example = "{\"state\": \"DRAINING\"}" },
    { POST, "/etcdGroups/{groupName}:secure", 0, FOR_OPERATORS, "secureEtcdGroup", "Give the clusters of one group users",
      "For an older group: its clusters get users, and authentication is turned on once every member was started with one. "
      "`waitsFor` says what is missing.",
      SHAPE_NOTHING, .run = secure_group, .path_fields = group_path },
    { DELETE, "/etcdGroups/{groupName}", 0, FOR_OPERATORS, "removeEtcdGroup", "Remove one etcd group",
      "Removes a group without clusters. Its servers keep running.", SHAPE_NOTHING, .run = remove_group, .path_fields = group_path },
};
// clang-format on
FAMILY(operator_etcd_family, "etcd", "Etcd groups",
       "The etcd servers through which members of clusters agree who is the primary.", endpoints);
