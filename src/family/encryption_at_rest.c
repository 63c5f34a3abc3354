/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data files and backups encrypted with keys that the customer holds. Whoever takes the key back stops the
 * clusters. Key services are reached by KMIP, a protocol that many of them speak; no vendor's own is.
 */
#include "family/absent.h"
#include "family/families.h"

#define CERTIFICATE_CHARACTERS (16 * 1024)

static const struct field kmip_fields[] = {
    BOOL("enabled", "Whether keys of this service are used.", 0, .example = "true"),
    TEXT("hostname", "Name or address of the key service.", 0, .min = 1, .max = 253,
         .pattern = "^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$", .example = "\"keys.example.org\""),
    INTEGER("port", "Its port.", 0, .min = 1, .max = 65535, .example = "5696"),
    TEXT("keyIdentifier", "Identifier of the key at the service.", 0, .min = 1, .max = 255,
         .example = "\"checkout-2025\""),
    TEXT("caCertificate", "Certificates that the service is trusted by, as PEM.", 0, .min = 1,
         .max = CERTIFICATE_CHARACTERS),
    TEXT("clientCertificate", "Certificate that the service knows the project by, as PEM.", 0, .min = 1,
         .max = CERTIFICATE_CHARACTERS),
    TEXT("clientKey", "Private key of that certificate, as PEM.", WRITE_ONLY, .min = 1, .max = CERTIFICATE_CHARACTERS),
    BOOL("valid", "Whether the key can be used right now.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema kmip_schema = { "KeyService", "A key service and one of its keys.", kmip_fields };

static const struct field encryption_fields[] = {
    OBJECT("kmip", "The key service of the project.", ALWAYS, .of = &kmip_schema),
    BOOL("enabledForSearchNodes", "Whether search nodes encrypt what they store, too.", ALWAYS, .example = "false"),
    END_OF_FIELDS,
};
static const struct schema encryption_schema = { "EncryptionAtRest", "Keys of a project's own.", encryption_fields };

static const char *const endpoint_states[] = { "INITIATING",         "PENDING_ACCEPTANCE", "ACTIVE", "FAILED",
                                               "PENDING_RECREATION", "DELETING",           NULL };
static const struct field key_endpoint_fields[] = {
    ID("id", "Identifier of the private endpoint.", READ_ONLY | ALWAYS),
    TEXT("cloudProvider", "Whose private network it is in; the path names it.", READ_ONLY | ALWAYS),
    TEXT("regionName", "Region whose key service would be reached.", REQUIRED | ALWAYS, .min = 1, .max = 63,
         .example = "\"EU_NORTH\""),
    TEXT("status", "How far it is.", READ_ONLY | ALWAYS, .one_of = endpoint_states),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema key_endpoint_schema = { "KeyServicePrivateEndpoint", "A private way to a key service.",
                                                   key_endpoint_fields };

// clang-format off
static const struct field provider_path[] = { PROVIDER_IN_PATH, END_OF_FIELDS };
static const struct field endpoint_path[] = {
    PROVIDER_IN_PATH,
    ID("endpointId", "Identifier of the private endpoint.", 0),
    END_OF_FIELDS,
};

static const struct endpoint encryption_at_rest_endpoints[] = {
    { GET, "/groups/{groupId}/encryptionAtRest", S23, ANY_OF(PROJECT_READ_ONLY), "getGroupEncryptionAtRest",
      "Return the encryption settings of one project",
      "Returns the key service that is configured and whether its key can be used right now. Secrets are not "
      "returned.",
      .waits_for = "customer keys", .response = &encryption_schema },
    { PATCH, "/groups/{groupId}/encryptionAtRest", S23, ANY_OF(PROJECT_OWNER), "updateGroupEncryptionAtRest",
      "Update the encryption settings of one project",
      "Sets the key service for clusters that use encryption. Clusters take a new key one after the other; keep "
      "the old one until all have.",
      .waits_for = "customer keys", .request = &encryption_schema, .response = &encryption_schema,
      .example = "{\"kmip\": {\"enabled\": true, \"hostname\": \"keys.example.org\", \"port\": 5696, \"keyIdentifier\": "
                 "\"checkout-2025\"}}" },
    { GET, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints", S23, ANY_OF(PROJECT_OWNER),
      "listGroupEncryptionAtRestPrivateEndpoints",
      "Return all private endpoints to one key service",
      "The list is empty: private endpoints are not offered.",
      .shape = SHAPE_LIST,
      .item = "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}",
      .run = absent_list, .path_fields = provider_path, .response = &key_endpoint_schema },
    { POST, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints", S23, ANY_OF(PROJECT_OWNER),
      "createGroupEncryptionAtRestPrivateEndpoint",
      "Create one private endpoint to one key service",
      "A key service is reached from the operator's own hosts over the operator's own routes; there is no vendor's network in "
      "between.",
      .success = 202, .item = "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}",
      .refuses = PRIVATE_ENDPOINT_NOT_OFFERED, .path_fields = provider_path, .request = &key_endpoint_schema,
      .response = &key_endpoint_schema, .example = "{\"regionName\": \"EU_NORTH\"}" },
    { DELETE, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}", S23,
      ANY_OF(PROJECT_OWNER), "requestGroupEncryptionAtRestPrivateEndpointDeletion",
      "Delete one private endpoint to one key service",
      "None is ever found: private endpoints are not offered.",
      .shape = SHAPE_NOTHING, .run = absent_one, .path_fields = endpoint_path },
    { GET, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}", S23,
      ANY_OF(PROJECT_OWNER), "getGroupEncryptionAtRestPrivateEndpoint",
      "Return one private endpoint to one key service",
      "None is ever found: private endpoints are not offered.",
      .run = absent_one, .path_fields = endpoint_path, .response = &key_endpoint_schema },
};
// clang-format on

FAMILY(encryption_at_rest_family, "encryption-at-rest", "Encryption at rest",
       "Keys of your own for the data files and backups of a project.", encryption_at_rest_endpoints);
