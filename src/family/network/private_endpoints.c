/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private endpoints: a service has an address on a relay host, lets the addresses of its endpoints in, and leads to the members of its project.
 * Relays follow goals (src/agent/relay); what is said of a service or endpoint is what its host has reported (docs/internals/network.md).
 */
#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "base/net/net.h"
#include "family/families.h"
#include "family/provider_path.h"
#include "store/access/access.h"
#include "store/network/private_endpoint.h"
#include "store/resource.h"
#include "store/tenant/project.h"

static const char *const service_states[] = {
    "INITIATING", "AVAILABLE", "WAITING_FOR_USER", "FAILED", "DELETING", NULL
};
static const char *const endpoint_states[] = { "INITIATING", "PENDING_ACCEPTANCE", "AVAILABLE",
                                               "FAILED",     "DELETING",           NULL };

static const struct field regional_mode_fields[] = {
    BOOL(
        "enabled",
        "Whether the project may have services in several regions. Each then leads to members in its own regions only.",
        REQUIRED | ALWAYS, .example = "false"),
    END_OF_FIELDS,
};
static const struct schema regional_mode_schema = { "PrivateEndpointRegionalMode",
                                                    "Whether private endpoints are regional.", regional_mode_fields };

#define REMOTE_REGIONS                                                                                                \
    LIST("supportedRemoteRegions", "More regions whose members it leads to.", NULLABLE, .item = TYPE_TEXT, .max = 35, \
         .example = "[\"EU_SOUTH\"]")

static const struct field service_request_fields[] = {
    TEXT("providerName", "Provider of the private network.", REQUIRED, .min = 1, .max = 32, .example = "\"ONPREM\""),
    TEXT("region", "Region of the clusters.", REQUIRED, .min = 1, .max = 63, .example = "\"EU_NORTH\""),
    BOOL("portMappingEnabled",
         "Accepted and not needed: members share the address of the service, and each has a port of its own.", 0,
         .fallback = "false"),
    REMOTE_REGIONS,
    END_OF_FIELDS,
};
static const struct schema service_request_schema = { "PrivateEndpointServiceRequest",
                                                      "A private endpoint service to create.", service_request_fields };

static const struct field service_change_fields[] = {
    TEXT("cloudProvider", "Provider of the private network.", REQUIRED, .min = 1, .max = 32, .example = "\"ONPREM\""),
    REMOTE_REGIONS,
    END_OF_FIELDS,
};
static const struct schema service_change_schema = { "PrivateEndpointServiceChange",
                                                     "A change of a private endpoint service.", service_change_fields };

static const struct field service_fields[] = {
    ID("id", "Identifier of the service.", READ_ONLY | ALWAYS),
    TEXT("cloudProvider", "Provider of the private network.", READ_ONLY | ALWAYS),
    TEXT("regionName", "Region of the clusters.", READ_ONLY | ALWAYS),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS, .one_of = service_states),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    TEXT("endpointServiceName", "Name of the service, which is in connection strings. It leads to the address below.",
         READ_ONLY, .example = "\"pl-0-eu-north.a1b2c.example.net\""),
    CIDR("endpointServiceIPAddress", "Address of the service. Clients connect to it on ports from 1024 on.",
         READ_ONLY | ALWAYS, .example = "\"10.91.200.7\""),
    LIST("supportedRemoteRegions", "More regions whose members it leads to.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    LIST("interfaceEndpoints", "Names of its endpoints.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema service_schema = { "PrivateEndpointService", "The clusters' side of private endpoints.",
                                              service_fields };

static const struct field endpoint_fields[] = {
    TEXT("id", "Name of the endpoint, unique at its service.", REQUIRED | ALWAYS, .min = 1, .max = 2048,
         .example = "\"endpoint-checkout\""),
    CIDR("privateEndpointIPAddress",
         "Address from which the applications come: a single one, of the protocol of the service's address.",
         REQUIRED | ALWAYS, .example = "\"10.20.0.7\""),
    TEXT("cloudProvider", "Provider of the private network.", READ_ONLY | ALWAYS),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS, .one_of = endpoint_states),
    BOOL("deleteRequested", "Whether its deletion was requested.", READ_ONLY | ALWAYS),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema endpoint_schema = { "PrivateEndpoint", "The applications' side of a private endpoint.",
                                               endpoint_fields };

static handler regional_mode_get, regional_mode_set;
static handler service_create, service_update, service_delete, endpoint_create, endpoint_delete;
static error check_regional_mode(struct request *req, struct change *change);
static error bind_services(struct request *req, struct params *params);
static error bind_service(struct request *req, struct params *params);
static error bind_endpoint(struct request *req, struct params *params);

/* Goals of members and relays are made of it: it counts as a change of access. */
static const struct kind regional_mode = {
    .name = "privateEndpointRegionalMode",
    .fallback = "{\"enabled\":false}",
    .decides_access = true,
    .changed = EVENT_REGIONAL_MODE_CHANGED,
    .check = check_regional_mode,
};
static const struct read service_list = { SQL_PRIVATE_ENDPOINT_SERVICE_LIST, bind_services, list_answer };
static const struct read service_get = { SQL_PRIVATE_ENDPOINT_SERVICE_GET, bind_service, answer_row };
static const struct read endpoint_get = { SQL_PRIVATE_ENDPOINT_GET, bind_endpoint, answer_row };

// clang-format off
#define SERVICE_IN_PATH ID("endpointServiceId", "Identifier of the service.", 0)
static const struct field provider_path[] = { PROVIDER_IN_PATH, END_OF_FIELDS };
static const struct field service_path[] = { SERVICE_IN_PATH, END_OF_FIELDS };
static const struct field provider_service_path[] = { PROVIDER_IN_PATH, SERVICE_IN_PATH, END_OF_FIELDS };

static const struct endpoint private_endpoints_endpoints[] = {
    { GET, "/groups/{groupId}/privateEndpoint/regionalMode", S49, ANY_OF(PROJECT_READ_ONLY),
      "getGroupPrivateEndpointRegionalMode",
      "Return the regional mode of private endpoints",
      "Tells whether the project may have private endpoint services in several regions, each for the members there.",
      .flags = NO_ETAG, .run = regional_mode_get, .kind = &regional_mode, .response = &regional_mode_schema },
    { PATCH, "/groups/{groupId}/privateEndpoint/regionalMode", S49, ANY_OF(PROJECT_OWNER),
      "toggleGroupPrivateEndpointRegionalMode",
      "Switch the regional mode of private endpoints",
      "With the mode on, the project may have services in several regions, and each leads to the members in its regions only. With it off there is "
      "one region, whose service leads to all members of clusters that have any there. It cannot be switched off while services are in several regions.",
      .flags = NO_ETAG, .run = regional_mode_set, .kind = &regional_mode, .request = &regional_mode_schema, .response = &regional_mode_schema,
      .example = "{\"enabled\": false}" },
    { POST, "/groups/{groupId}/privateEndpoint/endpointService", S49, ANY_OF(PROJECT_OWNER),
      "createGroupPrivateEndpointEndpointService",
      "Create one private endpoint service",
      "Gives the project an address on one of the operator's relay hosts in the region. Its name is in the connection strings of clusters as soon as "
      "it has an endpoint. A project has one service in a region.",
      .success = 200,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}",
      .run = service_create, .request = &service_request_schema, .response = &service_schema,
      .example = "{\"providerName\": \"ONPREM\", \"region\": \"EU_NORTH\"}" },
    { PATCH, "/groups/{groupId}/privateEndpoint/endpointService/{endpointServiceId}", S49, ANY_OF(PROJECT_OWNER),
      "updateGroupPrivateEndpointEndpointService",
      "Update one private endpoint service",
      "Changes to which further regions' members the service leads.",
      .run = service_update, .path_fields = service_path, .request = &service_change_schema, .response = &service_schema,
      .example = "{\"cloudProvider\": \"ONPREM\", \"supportedRemoteRegions\": [\"EU_SOUTH\"]}" },
    { GET, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService", S49, ANY_OF(PROJECT_READ_ONLY),
      "listGroupPrivateEndpointEndpointService",
      "Return all private endpoint services of one provider",
      "Lists the services of the project at the provider, oldest first.",
      .shape = SHAPE_LIST,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}",
      .read = &service_list, .path_fields = provider_path, .response = &service_schema },
    { DELETE, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}", S49,
      ANY_OF(PROJECT_OWNER), "deleteGroupPrivateEndpointEndpointService",
      "Delete one private endpoint service",
      "Gives the address of the service back. A service with endpoints is not deleted.",
      .shape = SHAPE_NOTHING, .run = service_delete, .path_fields = provider_service_path },
    { GET, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}", S49,
      ANY_OF(PROJECT_READ_ONLY), "getGroupPrivateEndpointEndpointService",
      "Return one private endpoint service",
      "Shows its name and address, and whether its relay stands.",
      .read = &service_get, .path_fields = provider_service_path, .response = &service_schema },
    { POST, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint", S49,
      ANY_OF(PROJECT_OWNER), "createGroupPrivateEndpointEndpointServiceEndpoint",
      "Create one private endpoint for one service",
      "Lets one address in at the service, whatever the project's access list says. It is AVAILABLE when its relay and every member of the project "
      "let it in.",
      .success = 200,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      .run = endpoint_create, .path_fields = provider_service_path, .request = &endpoint_schema,
      .response = &endpoint_schema, .example = "{\"id\": \"endpoint-checkout\", \"privateEndpointIPAddress\": \"10.20.0.7\"}" },
    { DELETE,
      "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      S49, ANY_OF(PROJECT_OWNER), "deleteGroupPrivateEndpointEndpointServiceEndpoint",
      "Delete one private endpoint",
      "The address is let in no more, and connections from it end within seconds.",
      .shape = SHAPE_NOTHING, .run = endpoint_delete, .path_fields = provider_service_path },
    { GET,
      "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      S49, ANY_OF(PROJECT_READ_ONLY), "getGroupPrivateEndpointEndpointServiceEndpoint",
      "Return one private endpoint",
      "Shows its address and whether it is let in.",
      .read = &endpoint_get, .path_fields = provider_service_path, .response = &endpoint_schema },
};
// clang-format on

FAMILY(private_endpoints_family, "private-endpoints", "Private endpoints",
       "A way into a project's clusters for chosen addresses, by an address of the project's own.",
       private_endpoints_endpoints);

/* ---- Reading ---- */

static error
bind_services(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_PROVIDER, request_path_value(req, "cloudProvider"));
    list_bind(req, params);
    return OK;
}

static error
bind_service(struct request *req, struct params *params)
{
    id service;
    TRY(request_path_id(req, "endpointServiceId", &service));
    params_id(params, P_PROJECT, req->project);
    params_id(params, P_ID, service);
    params_text(params, P_PROVIDER, request_path_value(req, "cloudProvider"));
    return OK;
}

static error
bind_endpoint(struct request *req, struct params *params)
{
    TRY(bind_service(req, params));
    params_text(params, P_NAME, request_path_value(req, "endpointId"));
    return OK;
}

/* ---- The regional mode ---- */

static error
check_regional_mode(struct request *req, struct change *change)
{
    int64_t regions;
    if (json_is_true(json_object_get(change->after, "enabled")))
        return OK;
    TRY(store_endpoint_service_regions(req->tx, req->project, &regions));
    return regions < 2 ? OK : fail(req->arena, REGIONAL_MODE_IN_USE, V(id_text(req->arena, req->project)), V(regions));
}

static error
regional_mode_get(struct request *req)
{
    str document;
    TRY(store_resource_read(req->api->store, req->arena, req->project, str_from(regional_mode.name), STR_EMPTY,
                            &document));
    answer_entity(req, document.len > 0 ? document : str_from(regional_mode.fallback), 0);
    return relate_provider_lists(req, "privateEndpoint", "endpointService");
}

static error
regional_mode_set(struct request *req)
{
    TRY(crud_update_single(req));
    return relate_provider_lists(req, "privateEndpoint", "endpointService");
}

/* ---- Services ---- */

static str
remote_regions(struct request *req)
{
    const json_t *sent = json_object_get(req->body, "supportedRemoteRegions");
    return json_is_array(sent) ? json_text(req->arena, sent) : STR("[]");
}

/* After the change: hosts of members let the relay in, or no more, and the relay has a port for each member. */
static error
tell_hosts(struct request *req, int64_t *ret_generation)
{
    return store_access_touch(req->tx, req->project, ret_generation);
}

static error
service_create(struct request *req)
{
    struct project project;
    struct endpoint_service_seen seen;
    int64_t generation;
    const struct endpoint_service service = {
        .project = req->project,
        .id = id_new(store_cell(req->api->store)),
        .provider = json_str(json_object_get(req->body, "providerName")),
        .region = json_str(json_object_get(req->body, "region")),
        .remote_regions = remote_regions(req),
    };
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(store_endpoint_service_add(req->tx, &service));
    TRY(tell_hosts(req, &generation));
    TRY(store_endpoint_service_lock(req->tx, &service, &seen));
    TRY(request_event(req, EVENT_ENDPOINT_SERVICE_CREATED, NULL, json_parse_own(req->arena, seen.document)));
    answer_created(req, seen.document, id_text(req->arena, service.id), seen.revision);
    return OK;
}

/* The service that the path names, at this provider, if it is not being deleted. */
static error
lock_service(struct request *req, str provider, struct endpoint_service *ret_service,
             struct endpoint_service_seen *ret_seen)
{
    struct project project;
    id service;
    TRY(request_path_id(req, "endpointServiceId", &service));
    *ret_service = (struct endpoint_service){ .project = req->project, .id = service, .provider = provider };
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(store_endpoint_service_lock(req->tx, ret_service, ret_seen));
    return ret_seen->document.len == 0 || ret_seen->is_removed ? request_not_found(req) : OK;
}

static error
service_update(struct request *req)
{
    struct endpoint_service service;
    struct endpoint_service_seen before, after;
    int64_t generation;
    TRY(lock_service(req, json_str(json_object_get(req->body, "cloudProvider")), &service, &before));
    TRY(request_check_match(req, before.revision));
    if (json_object_get(req->body, "supportedRemoteRegions") != NULL) {
        service.remote_regions = remote_regions(req);
        TRY(store_endpoint_service_update(req->tx, &service));
        TRY(tell_hosts(req, &generation));
    }
    TRY(store_endpoint_service_lock(req->tx, &service, &after));
    TRY(request_event(req, EVENT_ENDPOINT_SERVICE_UPDATED, json_parse_own(req->arena, before.document),
                      json_parse_own(req->arena, after.document)));
    answer_entity(req, after.document, after.revision);
    return OK;
}

static error
service_delete(struct request *req)
{
    struct endpoint_service service;
    struct endpoint_service_seen before;
    int64_t generation;
    TRY(lock_service(req, request_path_value(req, "cloudProvider"), &service, &before));
    TRY(request_check_match(req, before.revision));
    if (before.endpoint_count > 0)
        return fail(req->arena, ENDPOINT_SERVICE_IN_USE, V(id_text(req->arena, service.id)), V(before.endpoint_count));
    TRY(store_endpoint_service_remove(req->tx, req->project, service.id));
    TRY(tell_hosts(req, &generation));
    TRY(request_event(req, EVENT_ENDPOINT_SERVICE_DELETED, json_parse_own(req->arena, before.document), NULL));
    answer_nothing(req);
    return OK;
}

/* ---- Endpoints ---- */

/* One that a machine can have, and that leaves no doubt about who it is. */
static bool
is_one_of_a_client(const struct net_address *address)
{
    static const char *const nobodys[] = { "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3",
                                           "::/127",    "fe80::/10",   "ff00::/8" };
    for (size_t i = 0; i < LENGTH(nobodys); i++) {
        struct net_block block;
        if (net_parse_block(str_from(nobodys[i]), &block) && net_contains(&block, address))
            return false;
    }
    return true;
}

static error
read_address(struct request *req, str *ret_address)
{
    struct net_address address;
    if (!net_parse_address(json_str(json_object_get(req->body, "privateEndpointIPAddress")), &address) ||
        !is_one_of_a_client(&address))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("privateEndpointIPAddress"),
                    V("it must be the address of a single machine"));
    *ret_address = net_address_text(req->arena, &address);
    return OK;
}

static error
endpoint_create(struct request *req)
{
    struct endpoint_service service;
    struct endpoint_service_seen seen;
    str document;
    int64_t revision;
    struct endpoint_draft draft = { .project = req->project,
                                    .provider = request_path_value(req, "cloudProvider"),
                                    .name = json_str(json_object_get(req->body, "id")) };
    TRY(read_address(req, &draft.address));
    TRY(lock_service(req, draft.provider, &service, &seen));
    draft.service = service.id;
    TRY(tell_hosts(req, &draft.access_generation));
    TRY(store_endpoint_add(req->tx, &draft));
    TRY(store_endpoint_find(req->tx, &draft, &document, &revision));
    TRY(request_event(req, EVENT_ENDPOINT_CREATED, NULL, json_parse_own(req->arena, document)));
    answer_created(req, document, draft.name, revision);
    return OK;
}

static error
endpoint_delete(struct request *req)
{
    struct endpoint_service service;
    struct endpoint_service_seen seen;
    str document;
    int64_t revision, generation;
    struct endpoint_draft draft = { .project = req->project,
                                    .provider = request_path_value(req, "cloudProvider"),
                                    .name = request_path_value(req, "endpointId") };
    TRY(lock_service(req, draft.provider, &service, &seen));
    draft.service = service.id;
    TRY(store_endpoint_find(req->tx, &draft, &document, &revision));
    if (document.len == 0)
        return request_not_found(req);
    TRY(request_check_match(req, revision));
    TRY(store_endpoint_remove(req->tx, &draft));
    TRY(tell_hosts(req, &generation));
    TRY(request_event(req, EVENT_ENDPOINT_DELETED, json_parse_own(req->arena, document), NULL));
    answer_nothing(req);
    return OK;
}
