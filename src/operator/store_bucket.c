/* SPDX-License-Identifier: Apache-2.0 */
#include "operator/store_bucket.h"

#include "base/crypto/backup_secret.h"
#include "base/json.h"

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

/* The operator chooses the address, so every address will do. */
static bool
find(struct arena *arena, str url, struct egress_target *ret_target, str *ret_why)
{
    struct net_block everywhere[2];
    const struct egress_allowed allowed = { LENGTH(everywhere), everywhere };
    return net_parse_block(STR("0.0.0.0/0"), &everywhere[0]) && net_parse_block(STR("::/0"), &everywhere[1]) &&
           egress_resolve(arena, &allowed, url, ret_target, ret_why);
}

error
store_bucket_open(struct arena *arena, const struct object_store *store, str key, str secret_key, int64_t limit_ms,
                  struct store_bucket *ret_bucket)
{
    struct store_bucket *opened = ret_bucket;
    str url = url_of(arena, store), why = STR_EMPTY;
    opened->bucket = NULL;
    if (!find(arena, url, &opened->target, &why))
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
