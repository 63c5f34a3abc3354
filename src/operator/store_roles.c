/* SPDX-License-Identifier: Apache-2.0 */
/* Roles in object stores: where one project may write, with which keys (docs/internals/provider-roles.md). */
#include "store/provider/store_role.h"

#include "base/clock.h"
#include "base/crypto/backup_secret.h"
#include "base/crypto/crypto.h"
#include "base/date.h"
#include "base/json.h"
#include "operator/parts.h"
#include "operator/store_bucket.h"
#include "store/backup/object_store.h"

#define NAME_PATTERN "^[a-z0-9][a-z0-9-]{0,62}$"
#define UUID_PATTERN "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

/* A transaction waits for it. */
enum { REQUEST_MS = 4000, RANDOM_BYTES = 8 };

/* ---- Tables ---- */
#define KEY_FIELDS                                                                                                  \
    TEXT("accessKeyId", "Name of a key that may write in the bucket, below the prefix.", REQUIRED | WRITE_ONLY,     \
         .min = 1, .max = 256, .example = "\"CHECKOUT\""),                                                          \
        TEXT("secretAccessKey", "The key itself. It is sealed, and sent only to hosts that write for the project.", \
             REQUIRED | WRITE_ONLY, .min = 1, .max = 256, .example = "\"correct-horse-battery-staple\"")

static const struct field role_fields[] = {
    TEXT("name", "Name of the role, unique in its store.", REQUIRED | ALWAYS, .max = 63, .pattern = NAME_PATTERN,
         .example = "\"checkout\""),
    TEXT("store", "The object store.", READ_ONLY | ALWAYS),
    TEXT("arn", "By this name the project assumes it.", READ_ONLY | ALWAYS),
    TEXT("externalId", "External id of the project's role that may assume it. The project tells it.", REQUIRED | ALWAYS,
         .max = 36, .pattern = UUID_PATTERN, .example = "\"0b5f9c1e-6a52-4d0c-9c57-3d1e8a7f2b64\""),
    TEXT("bucket", "Bucket that is written to. Not one that backups are in.", REQUIRED | ALWAYS, .min = 3, .max = 63,
         .pattern = BUCKET_NAME_PATTERN, .example = "\"tenants\""),
    TEXT(
        "prefix",
        "What the names of all objects begin with: folders, each with a slash behind it. No role of another project may write there.",
        ALWAYS, .max = 255, .pattern = BUCKET_FOLDERS_PATTERN, .fallback = "\"\"", .example = "\"checkout/\""),
    KEY_FIELDS,
    ID("projectId", "The project that it is for.", READ_ONLY),
    ID("roleId", "The project's role.", READ_ONLY),
    BOOL("isAuthorized", "Whether the project has assumed it.", READ_ONLY | ALWAYS),
    DATE("createdAt", "When it was added.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema role_schema = { "StoreRole", "Where one project may write in an object store.",
                                           role_fields };

static const struct field change_fields[] = { KEY_FIELDS, END_OF_FIELDS };
static const struct schema change_schema = { "StoreRoleChange", "Another key for a role in an object store.",
                                             change_fields };

#define STORE_IN_PATH \
    TEXT("storeName", "Name of the store.", 0, .max = 63, .pattern = NAME_PATTERN, .example = "\"west\"")
static const struct field store_path[] = { STORE_IN_PATH, END_OF_FIELDS };
static const struct field role_path[] = {
    STORE_IN_PATH,
    TEXT("roleName", "Name of the role.", 0, .max = 63, .pattern = NAME_PATTERN, .example = "\"checkout\""),
    END_OF_FIELDS,
};

/* ---- What they have in common ---- */
static error
find_store(struct request *req, struct object_store *ret_store)
{
    bool is_there;
    TRY(store_object_store_get(req->tx, request_path_value(req, "storeName"), &is_there, ret_store));
    return is_there ? OK : request_not_found(req);
}

static error
find_role(struct request *req, struct store_role *ret_role)
{
    bool is_there;
    TRY(store_role_get(req->tx, request_path_value(req, "storeName"), request_path_value(req, "roleName"), &is_there,
                       ret_role));
    return is_there ? OK : request_not_found(req);
}

static error
seal_keys(struct request *req, struct store_role *role)
{
    return store_keys_seal(req, store_role_place(req->arena, role->id),
                           json_str(json_object_get(req->body, "accessKeyId")),
                           json_str(json_object_get(req->body, "secretAccessKey")), &role->sealed_keys);
}

/* Writing is all that a role is for; whether what was written to try it can be deleted does not matter. */
static error
try_out(struct request *req, const struct object_store *store, const struct store_role *role)
{
    struct store_bucket opened CLEANUP(store_bucket_cleanup) = { .bucket = NULL };
    struct object_store place = *store;
    uint8_t random[RANDOM_BYTES];
    str why, ignored;
    place.bucket = role->bucket;
    place.uri_style = STR("path"); /* as hosts write */
    crypto_random(random, sizeof(random));
    str name = str_hex(req->arena, random, sizeof(random));
    str key = str_format(req->arena, "%.*sreeve-probe-%s", STR_ARG(role->prefix), name.data);
    TRY(store_bucket_open(req->arena, &place, json_str(json_object_get(req->body, "accessKeyId")),
                          json_str(json_object_get(req->body, "secretAccessKey")), REQUEST_MS, &opened));
    if (bucket_put_text(opened.bucket, req->arena, key, name, &why) != BUCKET_FINE)
        return store_unusable(req->arena, store, why,
                              "Look at the bucket and at the key, which needs the right to write there (s3:PutObject)");
    (void)!bucket_delete(opened.bucket, req->arena, key, &ignored);
    return OK;
}

/* ---- Operations ---- */
static error
list_roles(struct request *req)
{
    str list, name = request_path_value(req, "storeName");
    TRY(store_object_store_list(req->api->store, req->arena, name, &list));
    if (json_array_size(json_parse_own(req->arena, list)) == 0)
        return request_not_found(req);
    TRY(store_role_list(req->api->store, req->arena, name, STR_EMPTY, &list));
    return answer_array(req, list, "name");
}

static error
show_role(struct request *req)
{
    str list;
    TRY(store_role_list(req->api->store, req->arena, request_path_value(req, "storeName"),
                        request_path_value(req, "roleName"), &list));
    json_t *found = json_array_get(json_parse_own(req->arena, list), 0);
    if (found == NULL)
        return request_not_found(req);
    answer_entity(req, json_text(req->arena, found), 0);
    return OK;
}

static error
refuse_addition(struct request *req, const struct store_role *draft)
{
    struct store_role other;
    bool is_there;
    TRY(store_role_get(req->tx, draft->store, draft->name, &is_there, &other));
    return is_there ? fail(req->arena, DUPLICATE_NAME, V("name"), V(draft->name))
                    : fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("bucket"),
                           V("backups are in it, or a role of another project writes below the same prefix"));
}

static error
add_role(struct request *req)
{
    const json_t *body = req->body;
    struct object_store store;
    struct store_role draft = { .id = id_new(store_cell(req->api->store)),
                                .store = request_path_value(req, "storeName"),
                                .name = json_str(json_object_get(body, "name")),
                                .bucket = json_str(json_object_get(body, "bucket")),
                                .prefix = json_str(json_object_get(body, "prefix")),
                                .external_id = json_str(json_object_get(body, "externalId")) };
    bool has_owner, added;
    TRY(find_store(req, &store));
    TRY(store_keys_check(req, true));
    TRY(store_role_has_owner(req->api->store, req->arena, draft.external_id, &has_owner));
    if (!has_owner)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("externalId"),
                    V("no project has a role with this external id"));
    TRY(seal_keys(req, &draft));
    TRY(try_out(req, &store, &draft));
    TRY(store_role_add(req->tx, &draft, &added));
    if (!added)
        return refuse_addition(req, &draft);
    json_object_del(req->body, "accessKeyId");
    json_object_del(req->body, "secretAccessKey");
    json_object_set_new(req->body, "store", json_stringn(draft.store.data, draft.store.len));
    json_object_set_new(req->body, "arn", json_string(store_role_arn(req->arena, &draft).data));
    json_object_set_new(req->body, "isAuthorized", json_false());
    json_object_set_new(req->body, "createdAt", json_string(date_text(req->arena, clock_now_ms() / 1000 * 1000).data));
    answer_entity(req, json_text(req->arena, req->body), 0);
    return OK;
}

static error
change_role(struct request *req)
{
    struct object_store store;
    struct store_role role;
    TRY(store_keys_check(req, true));
    TRY(find_store(req, &store));
    TRY(find_role(req, &role));
    TRY(seal_keys(req, &role));
    TRY(try_out(req, &store, &role));
    TRY(store_role_change(req->tx, &role));
    answer_nothing(req);
    return OK;
}

static error
remove_role(struct request *req)
{
    bool is_there;
    TRY(store_role_remove(req->tx, request_path_value(req, "storeName"), request_path_value(req, "roleName"),
                          &is_there));
    if (!is_there)
        return request_not_found(req);
    answer_nothing(req);
    return OK;
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/objectStores/{storeName}/roles", 0, FOR_OPERATORS, "listStoreRoles", "Return all roles in one object store",
      "Lists the roles, the projects that they are for, and whether these have assumed them. Keys are never shown.",
      SHAPE_LIST, .run = list_roles, .response = &role_schema, .path_fields = store_path, .item = "/objectStores/{storeName}/roles/{roleName}" },
    { POST, "/objectStores/{storeName}/roles", 0, FOR_OPERATORS, "addStoreRole", "Add one role in an object store",
      "Lets one project write below a prefix of a bucket, with keys that it never sees. It is tried out first: an object is written. Tell the "
      "project the name in `arn`.",
      SHAPE_ENTITY, .run = add_role, .request = &role_schema, .response = &role_schema, .path_fields = store_path,
      .example = "{\"name\": \"checkout\", \"externalId\": \"0b5f9c1e-6a52-4d0c-9c57-3d1e8a7f2b64\", \"bucket\": \"tenants\", \"prefix\": \"checkout/\", \"accessKeyId\": \"CHECKOUT\", \"secretAccessKey\": \"correct-horse-battery-staple\"}" },
    { GET, "/objectStores/{storeName}/roles/{roleName}", 0, FOR_OPERATORS, "showStoreRole", "Return one role in an object store",
      "Shows where the role writes, the project that it is for, and whether that has assumed it.",
      SHAPE_ENTITY, .run = show_role, .response = &role_schema, .path_fields = role_path },
    { PATCH, "/objectStores/{storeName}/roles/{roleName}", 0, FOR_OPERATORS, "changeStoreRole", "Give one role in an object store another key",
      "Tries the new key out, and sends it to the hosts that write for the project. Take the old one away when they have it: a minute later.",
      SHAPE_NOTHING, .run = change_role, .request = &change_schema, .path_fields = role_path,
      .example = "{\"accessKeyId\": \"CHECKOUT\", \"secretAccessKey\": \"correct-horse-battery-staple\"}" },
    { DELETE, "/objectStores/{storeName}/roles/{roleName}", 0, FOR_OPERATORS, "removeStoreRole", "Remove one role in an object store",
      "From now on nothing is written with the role, also when the project uses it. What is in the bucket stays.",
      SHAPE_NOTHING, .run = remove_role, .path_fields = role_path },
};
// clang-format on
FAMILY(operator_store_role_family, "store-roles", "Roles in object stores",
       "Where projects may write, without keys of their own.", endpoints);
