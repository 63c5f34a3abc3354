/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encryption with keys of the tenant's own. Refused, because no server here could use such a key: PostgreSQL does not
 * encrypt its files, and the operator encrypts the disks of hosts. The fields are those of KMIP, a protocol of many key
 * services.
 */
#include "base/json.h"
#include "family/absent.h"
#include "family/families.h"

#define CERTIFICATE_CHARACTERS (16 * 1024)

static const struct field kmip_fields[] = {
    BOOL("enabled", "Whether keys of this service are used. Always false.", 0, .example = "false"),
    TEXT("hostname", "Name or address of the key service.", 0, .min = 1, .max = 253,
         .pattern = "^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$", .example = "\"keys.example.org\""),
    INTEGER("port", "Its port.", 0, .min = 1, .max = 65535, .example = "5696"),
    TEXT("keyIdentifier", "Identifier of the key at the service.", 0, .min = 1, .max = 255,
         .example = "\"checkout-2025\""),
    TEXT("caCertificate", "Certificates for checking the key service, as PEM.", 0, .min = 1,
         .max = CERTIFICATE_CHARACTERS),
    TEXT("clientCertificate", "Certificate with which the project logs in to the key service, as PEM.", 0, .min = 1,
         .max = CERTIFICATE_CHARACTERS),
    TEXT("clientKey", "Private key of that certificate, as PEM.", WRITE_ONLY, .min = 1, .max = CERTIFICATE_CHARACTERS),
    BOOL("valid", "Whether the key can be used right now.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema kmip_schema = { "KeyService", "A key service and one of its keys.", kmip_fields };

static const struct field encryption_fields[] = {
    OBJECT("kmip", "The key service of the project.", ALWAYS, .of = &kmip_schema),
    BOOL("enabledForSearchNodes", "Whether search nodes also encrypt what they store.", ALWAYS, .example = "false"),
    END_OF_FIELDS,
};
static const struct schema encryption_schema = { "EncryptionAtRest", "A project's own keys.", encryption_fields };

static const char *const endpoint_states[] = { "INITIATING",         "PENDING_ACCEPTANCE", "ACTIVE", "FAILED",
                                               "PENDING_RECREATION", "DELETING",           NULL };
static const struct field key_endpoint_fields[] = {
    ID("id", "Identifier of the private endpoint.", READ_ONLY | ALWAYS),
    TEXT("cloudProvider", "Provider of the private network, as in the path.", READ_ONLY | ALWAYS),
    TEXT("regionName", "Region whose key service would be reached.", REQUIRED | ALWAYS, .min = 1, .max = 63,
         .example = "\"EU_NORTH\""),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS, .one_of = endpoint_states),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema key_endpoint_schema = { "KeyServicePrivateEndpoint",
                                                   "A private connection to a key service.", key_endpoint_fields };

#define PRIVATE_KEY_SERVICE "a private way from hosts to a tenant's key service"

static handler encryption_get, encryption_set;

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
      "Nothing is enabled: encryption with your own keys is not offered. The operator encrypts the disks of hosts.",
      .flags = NO_ETAG, .run = encryption_get, .response = &encryption_schema },
    { PATCH, "/groups/{groupId}/encryptionAtRest", S23, ANY_OF(PROJECT_OWNER), "updateGroupEncryptionAtRest",
      "Update the encryption settings of one project",
      "It is off, so false changes nothing. Enabling or describing a key service is refused: encryption with your own keys is "
      "not offered.",
      .flags = NO_ETAG, .run = encryption_set, .request = &encryption_schema, .response = &encryption_schema,
      .example = "{\"kmip\": {\"enabled\": false}, \"enabledForSearchNodes\": false}" },
    { GET, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints", S23, ANY_OF(PROJECT_OWNER),
      "listGroupEncryptionAtRestPrivateEndpoints",
      "Return all private endpoints to one key service",
      "Lists the private ways from hosts to the project's key service.",
      .shape = SHAPE_LIST,
      .item = "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}",
      .waits_for = PRIVATE_KEY_SERVICE, .path_fields = provider_path, .response = &key_endpoint_schema },
    { POST, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints", S23, ANY_OF(PROJECT_OWNER),
      "createGroupEncryptionAtRestPrivateEndpoint",
      "Create one private endpoint to one key service",
      "Makes a private way from the hosts to the project's key service.",
      .success = 202, .item = "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}",
      .waits_for = PRIVATE_KEY_SERVICE, .path_fields = provider_path, .request = &key_endpoint_schema,
      .response = &key_endpoint_schema, .example = "{\"regionName\": \"EU_NORTH\"}" },
    { DELETE, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}", S23,
      ANY_OF(PROJECT_OWNER), "requestGroupEncryptionAtRestPrivateEndpointDeletion",
      "Delete one private endpoint to one key service",
      "Takes the private way down.",
      .shape = SHAPE_NOTHING, .waits_for = PRIVATE_KEY_SERVICE, .path_fields = endpoint_path },
    { GET, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}", S23,
      ANY_OF(PROJECT_OWNER), "getGroupEncryptionAtRestPrivateEndpoint",
      "Return one private endpoint to one key service",
      "Returns one private way with its state.",
      .waits_for = PRIVATE_KEY_SERVICE, .path_fields = endpoint_path, .response = &key_endpoint_schema },
};
// clang-format on

FAMILY(
    encryption_at_rest_family, "encryption-at-rest", "Encryption at rest",
    "Your own keys for stored data. They are not offered: clusters run on the operator's own hosts, and the operator "
    "encrypts their disks.",
    encryption_at_rest_endpoints);

static error
encryption_get(struct request *req)
{
    answer_entity(req, STR("{\"kmip\":{\"enabled\":false,\"valid\":false},\"enabledForSearchNodes\":false}"), 0);
    return OK;
}

/* Off is what it is. Whatever else is said of a key service would have to be kept, and be without effect. */
static error
encryption_set(struct request *req)
{
    const json_t *kmip = json_object_get(req->body, "kmip"), *enabled = json_object_get(kmip, "enabled");
    bool describes = json_object_size(kmip) > (enabled == NULL ? 0 : 1);
    if (describes || json_is_true(enabled) || json_is_true(json_object_get(req->body, "enabledForSearchNodes")))
        return fail(req->arena, CUSTOMER_KEYS_NOT_OFFERED);
    return encryption_get(req);
}
