/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private endpoints: a provider's connection from a client's network to its own. Refused, because there is no
 * provider's network between clients and the operator's own hosts; use private connection strings.
 */
#include "base/json.h"
#include "family/absent.h"
#include "family/families.h"

static const char *const service_states[] = {
    "INITIATING", "AVAILABLE", "WAITING_FOR_USER", "FAILED", "DELETING", NULL
};
static const char *const endpoint_states[] = { "INITIATING", "PENDING_ACCEPTANCE", "AVAILABLE",
                                               "FAILED",     "DELETING",           NULL };

static const struct field regional_mode_fields[] = {
    BOOL("enabled", "Whether a cluster may have private endpoints in several regions. Always false.", REQUIRED | ALWAYS,
         .example = "false"),
    END_OF_FIELDS,
};
static const struct schema regional_mode_schema = { "PrivateEndpointRegionalMode",
                                                    "The regional mode of private endpoints.", regional_mode_fields };

#define REMOTE_REGIONS                                                                                          \
    LIST("supportedRemoteRegions", "More regions from which it could be reached.", NULLABLE, .item = TYPE_TEXT, \
         .max = 35, .example = "[\"EU_SOUTH\"]")

static const struct field service_request_fields[] = {
    TEXT("providerName", "Provider of the private network.", REQUIRED, .min = 1, .max = 32, .example = "\"ONPREM\""),
    TEXT("region", "Region of the clusters.", REQUIRED, .min = 1, .max = 63, .example = "\"EU_NORTH\""),
    BOOL("portMappingEnabled", "Whether all members would share one address.", 0, .fallback = "false"),
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
    END_OF_FIELDS,
};
static const struct schema service_schema = { "PrivateEndpointService", "The clusters' side of private endpoints.",
                                              service_fields };

static const struct field endpoint_fields[] = {
    TEXT("id", "Name of the endpoint at the provider.", REQUIRED | ALWAYS, .min = 1, .max = 2048,
         .example = "\"endpoint-checkout\""),
    CIDR("privateEndpointIPAddress", "Address of the endpoint in the applications' network.", 0,
         .example = "\"10.20.0.7\""),
    TEXT("cloudProvider", "Provider of the private network.", READ_ONLY | ALWAYS),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS, .one_of = endpoint_states),
    BOOL("deleteRequested", "Whether its deletion was requested.", READ_ONLY | ALWAYS),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema endpoint_schema = { "PrivateEndpoint", "The applications' side of a private endpoint.",
                                               endpoint_fields };

static handler regional_mode_get, regional_mode_set;

// clang-format off
#define SERVICE_IN_PATH ID("endpointServiceId", "Identifier of the service.", 0)
static const struct field provider_path[] = { PROVIDER_IN_PATH, END_OF_FIELDS };
static const struct field service_path[] = { SERVICE_IN_PATH, END_OF_FIELDS };
static const struct field provider_service_path[] = { PROVIDER_IN_PATH, SERVICE_IN_PATH, END_OF_FIELDS };

static const struct endpoint private_endpoints_endpoints[] = {
    { GET, "/groups/{groupId}/privateEndpoint/regionalMode", S49, ANY_OF(PROJECT_READ_ONLY),
      "getGroupPrivateEndpointRegionalMode",
      "Return the regional mode of private endpoints",
      "The mode is always off: private endpoints are not offered.",
      .flags = NO_ETAG, .run = regional_mode_get, .response = &regional_mode_schema },
    { PATCH, "/groups/{groupId}/privateEndpoint/regionalMode", S49, ANY_OF(PROJECT_OWNER),
      "toggleGroupPrivateEndpointRegionalMode",
      "Switch the regional mode of private endpoints",
      "The mode is off, so false changes nothing. True is refused: private endpoints are not offered.",
      .flags = NO_ETAG, .run = regional_mode_set, .request = &regional_mode_schema, .response = &regional_mode_schema,
      .example = "{\"enabled\": false}" },
    { POST, "/groups/{groupId}/privateEndpoint/endpointService", S49, ANY_OF(PROJECT_OWNER),
      "createGroupPrivateEndpointEndpointService",
      "Create one private endpoint service",
      "Would make the clusters' side of private endpoints, which join a client's network to a provider's.",
      .success = 200,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}",
      .refuses = PRIVATE_ENDPOINT_NOT_OFFERED, .request = &service_request_schema, .response = &service_schema,
      .example = "{\"providerName\": \"ONPREM\", \"region\": \"EU_NORTH\"}" },
    { PATCH, "/groups/{groupId}/privateEndpoint/endpointService/{endpointServiceId}", S49, ANY_OF(PROJECT_OWNER),
      "updateGroupPrivateEndpointEndpointService",
      "Update one private endpoint service",
      "None is ever found: private endpoints are not offered.",
      .run = absent_one, .path_fields = service_path, .request = &service_change_schema, .response = &service_schema,
      .example = "{\"cloudProvider\": \"ONPREM\", \"supportedRemoteRegions\": [\"EU_SOUTH\"]}" },
    { GET, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService", S49, ANY_OF(PROJECT_READ_ONLY),
      "listGroupPrivateEndpointEndpointService",
      "Return all private endpoint services of one provider",
      "The list is empty: private endpoints are not offered.",
      .shape = SHAPE_LIST,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}",
      .run = absent_list, .path_fields = provider_path, .response = &service_schema },
    { DELETE, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}", S49,
      ANY_OF(PROJECT_OWNER), "deleteGroupPrivateEndpointEndpointService",
      "Delete one private endpoint service",
      "None is ever found: private endpoints are not offered.",
      .shape = SHAPE_NOTHING, .run = absent_one, .path_fields = provider_service_path },
    { GET, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}", S49,
      ANY_OF(PROJECT_READ_ONLY), "getGroupPrivateEndpointEndpointService",
      "Return one private endpoint service",
      "None is ever found: private endpoints are not offered.",
      .run = absent_one, .path_fields = provider_service_path, .response = &service_schema },
    { POST, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint", S49,
      ANY_OF(PROJECT_OWNER), "createGroupPrivateEndpointEndpointServiceEndpoint",
      "Create one private endpoint for one service",
      "Would join an endpoint in a client's network to a service.",
      .success = 200,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      .refuses = PRIVATE_ENDPOINT_NOT_OFFERED, .path_fields = provider_service_path, .request = &endpoint_schema,
      .response = &endpoint_schema, .example = "{\"id\": \"endpoint-checkout\"}" },
    { DELETE,
      "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      S49, ANY_OF(PROJECT_OWNER), "deleteGroupPrivateEndpointEndpointServiceEndpoint",
      "Delete one private endpoint",
      "None is ever found: private endpoints are not offered.",
      .shape = SHAPE_NOTHING, .run = absent_one, .path_fields = provider_service_path },
    { GET,
      "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      S49, ANY_OF(PROJECT_READ_ONLY), "getGroupPrivateEndpointEndpointServiceEndpoint",
      "Return one private endpoint",
      "None is ever found: private endpoints are not offered.",
      .run = absent_one, .path_fields = provider_service_path, .response = &endpoint_schema },
};
// clang-format on

FAMILY(private_endpoints_family, "private-endpoints", "Private endpoints",
       "Private access to clusters in a provider's network. Clusters run on the operator's own hosts, so there is "
       "none.",
       private_endpoints_endpoints);

static error
regional_mode_get(struct request *req)
{
    answer_entity(req, STR("{\"enabled\":false}"), 0);
    return absent_relate_providers(req, "privateEndpoint", "endpointService");
}

/* To switch off what is off is no change; there is nothing that could be switched on. */
static error
regional_mode_set(struct request *req)
{
    if (json_is_true(json_object_get(req->body, "enabled")))
        return fail(req->arena, PRIVATE_ENDPOINT_NOT_OFFERED);
    return regional_mode_get(req);
}
