/* SPDX-License-Identifier: Apache-2.0 */
#include "operator/store_bucket.h"

#include "base/crypto/backup_secret.h"
#include "base/json.h"
#include "operator/parts.h"

/* Where the bucket is: a folder of its store, or a name below the store's. */
static str
url_of(struct arena *arena, const struct object_store *store)
{
    static const char scheme[] = "https://";
    str host = str_slice(store->endpoint, strlen(scheme), store->endpoint.len);
    return str_is(store->uri_style, "path")
               ? store->endpoint
               : str_format(arena, "%s%.*s.%.*s", scheme, STR_ARG(store->bucket), STR_ARG(host));
}

str
store_prefix(struct arena *arena, const struct object_store *store)
{
    str folder = str_slice(store->path, 1, store->path.len);
    return folder.len == 0 ? STR_EMPTY : str_format(arena, "%.*s/", STR_ARG(folder));
}

error
store_unusable(struct arena *arena, const struct object_store *store, str why, const char *remedy)
{
    return fail(arena, OBJECT_STORE_UNUSABLE, V(store->name), V(str_format(arena, "%.*s %s", STR_ARG(why), remedy)));
}

error
store_keys_check(struct request *req, bool are_required)
{
    static const char *const names[] = { "accessKeyId", "secretAccessKey" };
    for (size_t i = 0; i < LENGTH(names); i++) {
        str value = json_str(json_object_get(req->body, names[i]));
        if (are_required && value.len == 0)
            return fail(req->arena, MISSING_ATTRIBUTE, V(names[i]));
        if (!str_is_one_line(value) || !str_eq(str_trim(value), value))
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(names[i]),
                        V("it must be one line, without spaces around it"));
    }
    return OK;
}

error
store_keys_seal(struct request *req, str owner, str key, str secret_key, str *ret_sealed)
{
    json_t *keys = json_in(
        req->arena, json_pack("{s:s%, s:s%}", "key", key.data, key.len, "secretKey", secret_key.data, secret_key.len));
    str text = keys == NULL ? STR_EMPTY : json_text(req->arena, keys);
    return text.len > 0 &&
                   object_store_keys_seal(req->arena, &operator_api_of(req)->fleet.backup_key, owner, text, ret_sealed)
               ? OK
               : fail(req->arena, INTERNAL_ERROR);
}

error
store_keys_open(struct arena *arena, const struct key *backup_key, const struct object_store *store, str *ret_key,
                str *ret_secret_key)
{
    str text;
    if (!object_store_keys_open(arena, backup_key, store->name, store->sealed_keys, &text))
        return fail(arena, INTERNAL_ERROR);
    const json_t *keys = json_parse_own(arena, text);
    *ret_key = json_str(json_object_get(keys, "key"));
    *ret_secret_key = json_str(json_object_get(keys, "secretKey"));
    return OK;
}

error
store_bucket_open(struct arena *arena, const struct object_store *store, str key, str secret_key, int64_t limit_ms,
                  struct store_bucket *ret_bucket)
{
    struct store_bucket *opened = ret_bucket;
    str url = url_of(arena, store), why = STR_EMPTY;
    opened->bucket = NULL;
    if (!egress_resolve_operators(arena, url, &opened->target, &why))
        return store_unusable(arena, store, why, "Correct the endpoint, or the names that this node looks up");
    opened->place = (struct bucket_place){ .service_url = url,
                                           .name = str_is(store->uri_style, "path") ? store->bucket : STR_EMPTY,
                                           .bucket = store->bucket,
                                           .keys = { key, secret_key, store->region },
                                           .authority = store->authority,
                                           .address_count = opened->target.count,
                                           .addresses = opened->target.addresses,
                                           .limit_ms = limit_ms };
    opened->bucket = bucket_open(&opened->place);
    return opened->bucket == NULL ? fail(arena, OVERLOADED) : OK;
}

void
store_bucket_cleanup(struct store_bucket *bucket)
{
    bucket_close(bucket->bucket);
}
