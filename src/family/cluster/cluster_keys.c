/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters under a key that their project keeps at a service of its own (docs/internals/keys.md). That is chosen once: data that were written without it lie on
 * the disks of hosts as they are, and nobody could promise to have removed them.
 */
#include "base/json.h"
#include "family/cluster/clusters.h"
#include "store/encryption/key_service.h"
#include "store/resource.h"

#define PROVIDER "encryptionAtRestProvider"

/* The settings stay as they are until the cluster is there: whoever switches them off waits, and sees it. */
static error
check_service(struct request *req)
{
    struct resource service;
    bool found;
    TRY(store_resource_lock(req->tx, req->project, STR(KEY_SERVICE_KIND), STR_EMPTY, &found, &service));
    const json_t *kmip = found ? json_object_get(json_parse_own(req->arena, service.document), "kmip") : NULL;
    if (!json_is_true(json_object_get(kmip, "enabled")))
        return fail(req->arena, KEY_SERVICE_NOT_READY, V("it has no key service that is enabled"));
    if (json_is_true(json_object_get(kmip, "valid")))
        return OK;
    str why = json_str(json_object_get(kmip, "problem"));
    while (str_ends_with(why, STR(".")))
        why = str_slice(why, 0, why.len - 1);
    return fail(req->arena, KEY_SERVICE_NOT_READY, V(why.len > 0 ? why : STR("its key service was not asked yet")));
}

static error
check_hosts(struct request *req, const json_t *document)
{
    size_t index;
    const json_t *region,
        *regions = json_object_get(json_array_get(json_object_get(document, "replicationSpecs"), 0), "regionConfigs");
    json_array_foreach(regions, index, region)
    {
        str provider = json_str(json_object_get(region, "providerName")),
            name = json_str(json_object_get(region, "regionName"));
        bool encrypts;
        TRY(store_region_encrypts(req->tx, provider, name, &encrypts));
        if (!encrypts)
            return fail(req->arena, HOSTS_CANNOT_ENCRYPT, V(name), V(provider));
    }
    return OK;
}

error
cluster_keys_check(struct request *req, const json_t *before, json_t *document)
{
    str wanted = json_str(json_object_get(document, PROVIDER)), was = json_str(json_object_get(before, PROVIDER));
    bool is_keyed = str_is(wanted, "KMIP");
    if (!is_keyed)
        json_object_del(document, PROVIDER);
    if (before != NULL && is_keyed != str_is(was, "KMIP"))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(PROVIDER),
                    V("it is chosen when the cluster is created: create another one and move the data"));
    if (!is_keyed)
        return OK;
    if (json_is_true(json_object_get(document, "backupEnabled")))
        return fail(req->arena, BACKUPS_NOT_UNDER_KEY);
    if (before == NULL)
        TRY(check_service(req));
    return check_hosts(req, document);
}
