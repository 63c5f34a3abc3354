/* SPDX-License-Identifier: Apache-2.0 */
/* Object stores: where repository hosts can keep backups in place of their disks. */
#include "base/crypto/backup_secret.h"
#include "base/json.h"
#include "base/net/egress.h"
#include "operator/parts.h"
#include "operator/store_bucket.h"
#include "operator/store_probe.h"
#include "store/backup/object_store.h"

#define STORE_NAME "^[a-z0-9][a-z0-9-]{0,62}$"
enum { PEM_CHARACTERS = 64 * 1024 };

/* ---- Tables ---- */
static const char *const uri_styles[] = { "host", "path", NULL };

#define KEY_FIELDS(flags_)                                                                                           \
    TEXT("accessKeyId", "Name of a key that may write, read, list and delete in the bucket.", (flags_) | WRITE_ONLY, \
         .min = 1, .max = 256, .example = "\"AKIAEXAMPLE\""),                                                        \
        TEXT("secretAccessKey", "The key itself. It is sealed, and sent to repository hosts only.",                  \
             (flags_) | WRITE_ONLY, .min = 1, .max = 256, .example = "\"correct-horse-battery-staple\"")
#define AUTHORITY_FIELD                                                                                            \
    TEXT("authority", "Certificate (PEM) of whoever signs the store's certificate. Default: what hosts trust.", 0, \
         .max = PEM_CHARACTERS)

static const struct field store_fields[] = {
    TEXT("name", "Name of the store.", REQUIRED | ALWAYS, .max = 63, .pattern = STORE_NAME, .example = "\"west\""),
    TEXT("endpoint", "Address of the store: https://HOST or https://HOST:PORT.", REQUIRED | ALWAYS, .min = 9,
         .max = 255, .example = "\"https://s3.example.org\""),
    TEXT("bucket", "Name of the bucket.", REQUIRED | ALWAYS, .min = 3, .max = 63, .pattern = BUCKET_NAME_PATTERN,
         .example = "\"reeve-backups\""),
    TEXT("region", "Region of the store.", ALWAYS, .min = 1, .max = 63, .pattern = "^[A-Za-z0-9_-]+$",
         .fallback = "\"us-east-1\""),
    TEXT("path", "Folder in the bucket. Each cluster has a folder of its own in it.", ALWAYS, .min = 1, .max = 255,
         .pattern = "^/([A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*)?$", .fallback = "\"/\""),
    TEXT("uriStyle", "Whether the bucket is part of the host's name (host), or of the path (path).", ALWAYS,
         .one_of = uri_styles, .fallback = "\"host\""),
    AUTHORITY_FIELD,
    KEY_FIELDS(REQUIRED),
    BOOL(
        "objectLock",
        "Whether the bucket locks what is written: it must have Object Lock, and a default retention in mode COMPLIANCE. "
        "Until that is over nobody can delete it, not even with the store's keys.",
        ALWAYS, .fallback = "false"),
    INTEGER("lockDays", "For how many days the bucket locks what is written.", READ_ONLY),
    LIST("hosts", "Repository hosts that keep new backups in it.", READ_ONLY, .item = TYPE_TEXT),
    INTEGER("seats", "Clusters whose backups are in it.", READ_ONLY),
    INTEGER("usedBytes", "Bytes that they take.", READ_ONLY),
    DATE("createdAt", "When it was added.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema store_schema = { "ObjectStore", "A bucket that backups are kept in.", store_fields };

static const struct field change_fields[] = {
    KEY_FIELDS(0),
    AUTHORITY_FIELD,
    END_OF_FIELDS,
};
static const struct schema change_schema = { "ObjectStoreChange", "Another key for an object store.", change_fields };

static const struct field store_path[] = {
    TEXT("storeName", "Name of the store.", 0, .max = 63, .pattern = STORE_NAME, .example = "\"west\""),
    END_OF_FIELDS,
};

/* ---- What they have in common ---- */
static error
answer_store(struct request *req, str name)
{
    str list;
    TRY(store_object_store_list(req->api->store, req->arena, name, &list));
    json_t *found = json_array_get(json_parse_own(req->arena, list), 0);
    if (found == NULL)
        return request_not_found(req);
    answer_entity(req, json_text(req->arena, found), 0);
    return OK;
}

/* It is written into pgBackRest's configuration, which knows no other form. */
static error
check_endpoint(struct request *req, str endpoint)
{
    struct egress_url url;
    const char *why = "it must be https://HOST or https://HOST:PORT, with nothing behind";
    str behind = str_slice(endpoint, endpoint.len < 8 ? endpoint.len : 8, endpoint.len);
    if (!egress_parse(req->arena, endpoint, &url, &why) || str_find(behind, '/') >= 0 || str_find(behind, '?') >= 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("endpoint"), V(why));
    return OK;
}

static error
try_out(struct request *req, struct object_store *store, str key, str secret_key)
{
    struct bucket_lock lock;
    TRY(store_probe(req->arena, store, key, secret_key, &lock));
    store->lock_days = store->object_lock ? lock.days : 0;
    return OK;
}

/* ---- Operations ---- */
static error
list_stores(struct request *req)
{
    str list;
    TRY(store_object_store_list(req->api->store, req->arena, STR_EMPTY, &list));
    return answer_array(req, list, "name");
}

static error
show_store(struct request *req)
{
    return answer_store(req, request_path_value(req, "storeName"));
}

static void
answer_added(struct request *req, const struct object_store *store)
{
    json_object_del(req->body, "accessKeyId");
    json_object_del(req->body, "secretAccessKey");
    if (store->lock_days > 0)
        json_object_set_new(req->body, "lockDays", json_integer(store->lock_days));
    answer_entity(req, json_text(req->arena, req->body), 0);
}

static error
add_store(struct request *req)
{
    const json_t *body = req->body;
    str key = json_str(json_object_get(body, "accessKeyId")),
        secret_key = json_str(json_object_get(body, "secretAccessKey"));
    struct object_store draft = {
        .name = json_str(json_object_get(body, "name")),
        .endpoint = json_str(json_object_get(body, "endpoint")),
        .bucket = json_str(json_object_get(body, "bucket")),
        .region = json_str(json_object_get(body, "region")),
        .path = json_str(json_object_get(body, "path")),
        .uri_style = json_str(json_object_get(body, "uriStyle")),
        .authority = json_str(json_object_get(body, "authority")),
        .object_lock = json_is_true(json_object_get(body, "objectLock")),
    };
    bool added;
    TRY(check_endpoint(req, draft.endpoint));
    TRY(store_keys_check(req, false));
    TRY(store_keys_seal(req, draft.name, key, secret_key, &draft.sealed_keys));
    TRY(try_out(req, &draft, key, secret_key));
    TRY(store_object_store_add(req->tx, &draft, &added));
    if (!added)
        return fail(req->arena, DUPLICATE_NAME, V("name"), V(draft.name));
    answer_added(req, &draft);
    return OK;
}

/* What the request says, or else what is known. */
static str
or_known(const struct request *req, const char *name, str known)
{
    const json_t *said = json_object_get(req->body, name);
    return said == NULL ? known : json_str(said);
}

/* Without a body it is only tried out: by that what the bucket locks is looked at again. */
static error
try_again(struct request *req)
{
    struct object_store store;
    bool is_there;
    str key, secret_key;
    TRY(store_object_store_get(req->tx, request_path_value(req, "storeName"), &is_there, &store));
    if (!is_there)
        return request_not_found(req);
    TRY(store_keys_open(req->arena, &operator_api_of(req)->fleet.backup_key, &store, &key, &secret_key));
    key = or_known(req, "accessKeyId", key);
    secret_key = or_known(req, "secretAccessKey", secret_key);
    store.authority = or_known(req, "authority", store.authority);
    TRY(store_keys_seal(req, store.name, key, secret_key, &store.sealed_keys));
    TRY(try_out(req, &store, key, secret_key));
    TRY(store_object_store_change(req->tx, &store));
    answer_nothing(req);
    return OK;
}

static error
change_store(struct request *req)
{
    TRY(store_keys_check(req, false));
    return try_again(req);
}

static error
remove_store(struct request *req)
{
    bool is_there, is_used;
    str name = request_path_value(req, "storeName");
    TRY(store_object_store_remove(req->tx, name, &is_there, &is_used));
    if (is_used)
        return fail(req->arena, STILL_IN_USE, V("Object store"), V(name),
                    V("backups are in it, hosts write to it, or roles are in it"));
    if (!is_there)
        return request_not_found(req);
    answer_nothing(req);
    return OK;
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/objectStores", 0, FOR_OPERATORS, "listObjectStores", "Return all object stores",
      "Lists the object stores, and how much is kept in each. Keys are never shown.",
      SHAPE_LIST, .run = list_stores, .response = &store_schema, .item = "/objectStores/{storeName}" },
    { POST, "/objectStores", 0, FOR_OPERATORS, "addObjectStore", "Add one object store",
      "Adds a bucket that backups can be kept in. It is tried out first: an object is written, read, listed and deleted. Repository "
      "hosts that join with its name keep backups there.",
      SHAPE_ENTITY, .run = add_store, .request = &store_schema, .response = &store_schema,
      .example = "{\"name\": \"west\", \"endpoint\": \"https://s3.example.org\", \"bucket\": \"reeve-backups\", \"accessKeyId\": \"AKIAEXAMPLE\", \"secretAccessKey\": \"correct-horse-battery-staple\"}" },
    { GET, "/objectStores/{storeName}", 0, FOR_OPERATORS, "showObjectStore", "Return one object store",
      "Shows the store, the hosts that write to it, and how much is kept in it.",
      SHAPE_ENTITY, .run = show_store, .response = &store_schema, .path_fields = store_path },
    { PATCH, "/objectStores/{storeName}", 0, FOR_OPERATORS, "changeObjectStore", "Give one object store another key",
      "Tries the new key out, and sends it to the hosts. Take the old one away when they have it: a minute later.",
      SHAPE_NOTHING, .run = change_store, .request = &change_schema, .path_fields = store_path,
      .example = "{\"accessKeyId\": \"AKIAEXAMPLE\", \"secretAccessKey\": \"correct-horse-battery-staple\"}" },
    { POST, "/objectStores/{storeName}:try", 0, FOR_OPERATORS, "tryObjectStore", "Try one object store out",
      "Writes, reads, lists and deletes an object with the keys that are known, and looks again at what the bucket locks.",
      SHAPE_NOTHING, .run = try_again, .path_fields = store_path },
    { DELETE, "/objectStores/{storeName}", 0, FOR_OPERATORS, "removeObjectStore", "Remove one object store",
      "Removes a store that nothing is kept in and that no host writes to. The bucket stays.",
      SHAPE_NOTHING, .run = remove_store, .path_fields = store_path },
};
// clang-format on
FAMILY(operator_store_family, "stores", "Object stores", "Buckets that backups are kept in.", endpoints);
