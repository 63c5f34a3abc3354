/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encryption with a key that the project keeps at a service of its own (docs/internals/keys.md). The settings are kept here; hosts of clusters that were made
 * with it ask the service, and a worker asks now and then whether the key can be used. KMIP is a protocol of many key services.
 */
#include "api/api.h"
#include "api/crud.h"
#include "base/crypto/certificate.h"
#include "base/crypto/certificate_look.h"
#include "base/given_secret.h"
#include "base/json.h"
#include "base/net/egress.h"
#include "base/net/kmip.h"
#include "family/families.h"
#include "family/provider_path.h"
#include "store/encryption/key_service.h"
#include "store/resource.h"

#define CERTIFICATE_CHARACTERS (16 * 1024)
#define HOST_NAME              "^[A-Za-z0-9:]([A-Za-z0-9.:-]*[A-Za-z0-9:])?$"
#define NOTHING_YET            "{\"kmip\": {\"enabled\": false, \"valid\": false}, \"enabledForSearchNodes\": false}"

static const struct field kmip_fields[] = {
    BOOL("enabled",
         "Whether clusters of the project can be made with this key. Stays on while there are such clusters.", 0,
         .example = "true"),
    TEXT(
        "hostname",
        "Name or address of the key service. Its certificate must be for it, and it must be public unless the operator allows others.",
        0, .min = 1, .max = 253, .pattern = HOST_NAME, .example = "\"keys.example.org\""),
    INTEGER("port", "Its port.", 0, .min = 1, .max = 65535, .example = "5696"),
    TEXT(
        "keyIdentifier",
        "Identifier of the key at the service: an AES key that may encrypt and decrypt. With another one the keys of members are wrapped anew, while they run.",
        0, .min = 1, .max = 128, .pattern = "^[!-~]+$", .example = "\"checkout-2025\""),
    TEXT("caCertificate", "Certificates for checking the key service, as PEM.", 0, .min = 1,
         .max = CERTIFICATE_CHARACTERS),
    TEXT("clientCertificate", "Certificate with which the project logs in to the key service, as PEM.", 0, .min = 1,
         .max = CERTIFICATE_CHARACTERS),
    TEXT("clientKey", "Private key of that certificate, as PEM, without a passphrase. Never returned.", WRITE_ONLY,
         .min = 1, .max = CERTIFICATE_CHARACTERS),
    BOOL("valid", "Whether the service encrypted and decrypted with the key when it was asked last.",
         READ_ONLY | ALWAYS),
    TEXT("problem", "Why not. An extension of this service.", READ_ONLY),
    TEXT("checkedAt", "When it was asked last. An extension of this service.", READ_ONLY),
    INTEGER(
        "membersOnOtherKeys",
        "How many members have keys that are not wrapped with this key yet: the key before is needed until there are none. An extension of this service.",
        READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema kmip_schema = { "KeyService", "A key service and one of its keys.", kmip_fields };

static const struct field encryption_fields[] = {
    OBJECT("kmip", "The key service of the project.", ALWAYS, .of = &kmip_schema),
    BOOL("enabledForSearchNodes",
         "Whether search nodes also encrypt what they store. There are none: only false is accepted.", ALWAYS,
         .example = "false"),
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
static error check_service(struct request *req, struct change *change);

static const struct kind key_service = {
    .name = KEY_SERVICE_KIND,
    .fallback = NOTHING_YET,
    .hidden = "sealed",
    .changed = EVENT_KEY_SERVICE_CHANGED,
    .check = check_service,
};

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
      "Returns the key service of the project and whether its key could be used when it was asked last. The private key is not "
      "returned.",
      .flags = NO_ETAG, .run = encryption_get, .response = &encryption_schema },
    { PATCH, "/groups/{groupId}/encryptionAtRest", S23, ANY_OF(PROJECT_OWNER), "updateGroupEncryptionAtRest",
      "Update the encryption settings of one project",
      "Keeps the key service of the project. Clusters that are created with `encryptionAtRestProvider: KMIP` are encrypted with keys "
      "that it wraps: when it refuses the key, their members stop within 30 seconds and nothing of them can be read; when it gives it "
      "again, they start by themselves.",
      .flags = NO_ETAG, .run = encryption_set, .kind = &key_service, .request = &encryption_schema, .response = &encryption_schema,
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

FAMILY(encryption_at_rest_family, "encryption-at-rest", "Encryption at rest",
       "A key that you keep at a key service of your own, under which data of clusters are stored.",
       encryption_at_rest_endpoints);

static error
refuse(struct request *req, const char *field, const char *why)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V(why));
}

static error
show(struct request *req, str document)
{
    answer_entity(req, document, 0);
    return OK;
}

static error
encryption_get(struct request *req)
{
    str text;
    TRY(store_resource_read(req->api->store, req->arena, req->project, STR(KEY_SERVICE_KIND), STR_EMPTY, &text));
    json_t *document = json_parse_own(req->arena, text.len > 0 ? text : STR(NOTHING_YET));
    if (document == NULL)
        return fail(req->arena, OVERLOADED);
    json_object_del(document, key_service.hidden);
    return show(req, json_text(req->arena, document));
}

/* ---- Changes ---- */
/* Without these nobody could ask it. */
static error
check_complete(struct request *req, const json_t *document)
{
    static const char *const needed[] = { "hostname", "keyIdentifier", "caCertificate", "clientCertificate" };
    const json_t *kmip = json_object_get(document, "kmip");
    for (size_t i = 0; i < LENGTH(needed); i++) {
        if (json_str(json_object_get(kmip, needed[i])).len == 0)
            return fail(req->arena, MISSING_ATTRIBUTE, V(str_format(req->arena, "kmip.%s", needed[i])));
    }
    return json_object_get(document, "sealed") != NULL ? OK : fail(req->arena, MISSING_ATTRIBUTE, V("kmip.clientKey"));
}

/* A worker and hosts connect to it: neither may be sent to the machine that it runs on. */
static error
check_texts(struct request *req, const json_t *kmip)
{
    struct egress_url place = { .host = json_str(json_object_get(kmip, "hostname")) };
    str authority = json_str(json_object_get(kmip, "caCertificate"));
    struct net_address ignored;
    if (str_find(place.host, ':') >= 0 && !net_parse_address(place.host, &ignored))
        return refuse(req, "kmip.hostname", "it must be a name or an address; the port has a field of its own");
    if (place.host.len > 0 && !egress_host_may_be_allowed(&req->api->egress, &place))
        return refuse(req, "kmip.hostname",
                      "its address is not public, and the operator does not allow it (egress_allow)");
    if (authority.len > 0 && !certificate_is_authority_bundle(authority))
        return refuse(req, "kmip.caCertificate", "it must be certificates of authorities in PEM");
    return OK;
}

/* The private key is taken out, and belongs to the certificate: with another one than before both are sent. */
static error
take_client_key(struct request *req, struct change *change, json_t *kmip)
{
    str certificate = json_str(json_object_get(kmip, "clientCertificate")),
        client_key = json_str(json_object_get(kmip, "clientKey"));
    const json_t *before = json_object_get(json_object_get(change->before, "kmip"), "clientCertificate");
    struct certificate_facts facts;
    if (certificate.len > 0 && !certificate_read(certificate, &facts))
        return refuse(req, "kmip.clientCertificate", "it must be a certificate in PEM");
    if (client_key.len == 0)
        return before == NULL || json_equal(before, json_object_get(kmip, "clientCertificate"))
                   ? OK
                   : refuse(req, "kmip.clientKey", "another certificate needs its key: send both");
    if (!certificate_is_of(certificate, client_key))
        return refuse(req, "kmip.clientKey",
                      "it must be the private key of clientCertificate, as PEM and without a passphrase");
    struct key key = auth_key_for(req->api->auth, KEY_SERVICE_KEY_PURPOSE);
    json_t *secrets = json_in(req->arena, json_pack("{s:s%}", "clientKey", client_key.data, client_key.len));
    str sealed =
        given_secret_seal(req->arena, &key, given_secret_place(req->arena, KEY_SERVICE_KIND, change->id), secrets);
    crypto_wipe(&key, sizeof(key));
    json_object_del(kmip, "clientKey");
    json_object_set_new(change->after, "sealed", json_stringn(sealed.data, sealed.len));
    return sealed.len > 0 ? OK : fail(req->arena, OVERLOADED);
}

/* Clusters that were made with a key cannot go on without a service that has it. */
static error
check_use(struct request *req)
{
    int64_t clusters;
    TRY(store_keyed_clusters(req->tx, req->project, &clusters));
    return clusters == 0 ? OK : fail(req->arena, KEYS_IN_USE, V(clusters));
}

/*
 * Hosts have keys that were wrapped at the place of before, and ask at the new one for the same key: if it has none of that name, that is a refusal, and all is
 * closed. So the place and the key are not changed at the same time, nor the place while members are under a key of before.
 */
static error
check_move(struct request *req, const struct change *change, const json_t *kmip)
{
    static const char *const place[] = { "hostname", "port" };
    const json_t *before = json_object_get(change->before, "kmip");
    bool is_moved = false;
    for (size_t i = 0; i < LENGTH(place); i++) {
        const json_t *was = json_object_get(before, place[i]);
        is_moved |= was != NULL && !json_equal(was, json_object_get(kmip, place[i]));
    }
    if (!is_moved)
        return OK;
    bool is_same = json_equal(json_object_get(before, "keyIdentifier"), json_object_get(kmip, "keyIdentifier")),
         are_all_under_it = json_object_get(before, "membersOnOtherKeys") != NULL &&
                            json_integer_value(json_object_get(before, "membersOnOtherKeys")) == 0;
    return is_same && are_all_under_it ? OK : check_use(req);
}

static error
check_service(struct request *req, struct change *change)
{
    json_t *kmip = json_in(req->arena, json_deep_copy(json_object_get(change->before, "kmip")));
    json_object_update(kmip, json_object_get(req->body, "kmip"));
    json_object_set(change->after, "kmip", kmip);
    if (json_is_true(json_object_get(change->after, "enabledForSearchNodes")))
        return fail(req->arena, NOT_OFFERED, V("Encryption of search nodes"), V("there are none"));
    TRY(check_texts(req, kmip));
    TRY(take_client_key(req, change, kmip));
    if (json_is_true(json_object_get(kmip, "enabled"))) {
        if (!json_is_integer(json_object_get(kmip, "port")))
            json_object_set_new(kmip, "port", json_integer(KMIP_PORT));
        TRY(check_complete(req, change->after));
        TRY(check_move(req, change, kmip));
    } else {
        TRY(check_use(req));
    }
    /* Nothing is known of what was not asked yet. */
    json_object_del(kmip, "problem");
    json_object_del(kmip, "checkedAt");
    json_object_del(kmip, "membersOnOtherKeys");
    json_object_set_new(kmip, "valid", json_false());
    return OK;
}

static error
encryption_set(struct request *req)
{
    struct change change;
    str document;
    int64_t revision;
    TRY(crud_lock_single(req, &change));
    change.after = json_in(req->arena, json_deep_copy(change.before));
    if (json_object_get(req->body, "enabledForSearchNodes") != NULL)
        json_object_set(change.after, "enabledForSearchNodes", json_object_get(req->body, "enabledForSearchNodes"));
    TRY(crud_store(req, &change, &document, &revision));
    return show(req, document);
}
