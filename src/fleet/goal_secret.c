/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/goal_secret.h"

#include "base/crypto/backup_secret.h"
#include "base/crypto/directory_password.h"
#include "base/crypto/etcd_password.h"
#include "base/given_secret.h"
#include "base/json.h"
#include "base/log.h"
#include "fleet/role_keys.h"

/* Each writes what stands behind the field's name, as JSON. */
static bool
write_directory(struct fleet *fleet, struct arena *arena, str owner, str sealed, struct buf *out)
{
    id resource;
    str password;
    if (!id_parse(owner, &resource) ||
        !directory_password_open(arena, &fleet->directory_key, resource, sealed, &password))
        return false;
    buf_add_json(out, password);
    return true;
}

static bool
write_etcd(struct fleet *fleet, struct arena *arena, str owner, str hex, struct buf *out)
{
    id cluster;
    str sealed, password;
    if (!id_parse(owner, &cluster) || !str_bytes_from_hex(arena, hex, &sealed) ||
        !etcd_password_of_cluster_open(arena, &fleet->etcd_key, cluster, sealed, &password))
        return false;
    buf_add_json(out, password);
    return true;
}

static bool
write_cipher(struct fleet *fleet, struct arena *arena, str owner, str hex, struct buf *out)
{
    id stanza;
    str sealed, pass;
    if (!id_parse(owner, &stanza) || !str_bytes_from_hex(arena, hex, &sealed) ||
        !backup_cipher_open(arena, &fleet->backup_key, stanza, sealed, &pass))
        return false;
    buf_add_json(out, pass);
    return true;
}

/* Two texts are sealed as one document, and become two fields. */
static bool
write_store_keys(struct fleet *fleet, struct arena *arena, str owner, str hex, struct buf *out)
{
    str sealed, keys;
    if (!str_bytes_from_hex(arena, hex, &sealed) ||
        !object_store_keys_open(arena, &fleet->backup_key, owner, sealed, &keys))
        return false;
    const json_t *document = json_parse_own(arena, keys);
    buf_add_json(out, json_str(json_object_get(document, "key")));
    buf_add_text(out, ",\"secretKey\":");
    buf_add_json(out, json_str(json_object_get(document, "secretKey")));
    return true;
}

/* Where the operator's own stores are, hosts may connect to: no tenant says where that is. */
#define EVERYWHERE "\"networks\":[\"0.0.0.0/0\",\"::/0\"]"

/* The keys of a role in a store of the operator's, and who signs for the store: "<keys>:<authority>", both in hexadecimal. */
static bool
write_role_keys(struct fleet *fleet, struct arena *arena, str owner, str both, struct buf *out)
{
    struct role_keys keys;
    if (!role_keys_open(arena, &fleet->backup_key, owner, both, &keys))
        return false;
    buf_add_json(out, keys.key);
    buf_add_text(out, ",\"secretKey\":");
    buf_add_json(out, keys.secret_key);
    buf_add_text(out, "," EVERYWHERE);
    if (keys.authority.len > 0) {
        buf_add_text(out, ",\"authority\":");
        buf_add_json(out, keys.authority);
    }
    return true;
}

/* The keys of a tenant's bucket, and where the host may connect to because a tenant says so. */
static bool
write_export_keys(struct fleet *fleet, struct arena *arena, str owner, str sealed, struct buf *out)
{
    id bucket;
    if (str_starts_with(owner, STR("role/")))
        return write_role_keys(fleet, arena, owner, sealed, out);
    if (!id_parse(owner, &bucket))
        return false;
    str place = given_secret_place(arena, "backupExportBucket", bucket);
    const json_t *keys = given_secret_open(arena, &fleet->export_key, place, sealed);
    if (keys == NULL)
        return false;
    buf_add_json(out, json_str(json_object_get(keys, "accessKeyId")));
    buf_add_text(out, ",\"secretKey\":");
    buf_add_json(out, json_str(json_object_get(keys, "secretAccessKey")));
    if (fleet->logs.egress.len > 0)
        buf_format(out, ",%s", fleet->logs.egress.data);
    return true;
}

/* How the project of a cluster logs in to its key service, and where the host may connect to because a tenant says so. */
static bool
write_key_service(struct fleet *fleet, struct arena *arena, str owner, str sealed, struct buf *out)
{
    id service;
    if (!id_parse(owner, &service))
        return false;
    str place = given_secret_place(arena, "encryptionAtRest", service);
    const json_t *secrets = given_secret_open(arena, &fleet->key_service_key, place, sealed);
    if (secrets == NULL)
        return false;
    buf_add_json(out, json_str(json_object_get(secrets, "clientKey")));
    if (fleet->logs.egress.len > 0)
        buf_format(out, ",%s", fleet->logs.egress.data);
    return true;
}

/*
 * As PostgreSQL writes them: the first in a document that is stored, the others made by functions. No text of a tenant can look like that,
 * because quotes inside of texts have a backslash in front; so a goal of many megabytes need not be taken apart for it.
 */
static const struct {
    const char *mark, *field, *what, *otherwise; /* otherwise: what is written when it cannot be opened */
    bool (*write)(struct fleet *fleet, struct arena *arena, str owner, str sealed, struct buf *out);
} secrets[] = {
    { "\"bindPassword\": \"sealed:", "\"bindPassword\": ", "The password of a directory", "\"\"", write_directory },
    { "\"etcdPassword\":\"sealed:", "\"etcdPassword\":", "The password of a cluster's user of etcd", "\"\"",
      write_etcd },
    { "\"cipherPass\":\"sealed:", "\"cipherPass\":", "The passphrase of a cluster's backups", "\"\"", write_cipher },
    { "\"storeKeys\":\"sealed:", "\"key\":", "A key of an object store", "\"\",\"secretKey\":\"\"", write_store_keys },
    { "\"exportKeys\":\"sealed:", "\"key\":", "The key of an export bucket", "\"\",\"secretKey\":\"\"",
      write_export_keys },
    { "\"keyServiceKey\":\"sealed:", "\"clientKey\":", "The key for a key service", "\"\"", write_key_service },
};

static void
write_one(struct fleet *fleet, struct arena *arena, size_t kind, str place, struct buf *out)
{
    str owner = str_cut(&place, ':');
    buf_add_text(out, secrets[kind].field);
    if (secrets[kind].write(fleet, arena, owner, place, out))
        return;
    log_line(LOG_ERROR, "goal_secret", "%s cannot be opened with this node's key.", secrets[kind].what);
    buf_add_text(out, secrets[kind].otherwise);
}

static error
open_kind(struct fleet *fleet, struct arena *arena, size_t kind, str goal, str *ret_goal)
{
    size_t length = strlen(secrets[kind].mark);
    const char *end = goal.data + goal.len, *from = goal.data;
    const char *mark = memmem(from, goal.len, secrets[kind].mark, length);
    if (mark == NULL) {
        *ret_goal = goal;
        return OK;
    }
    size_t marks = 0;
    for (const char *at = mark; at != NULL; marks++)
        at = memmem(at + length, (size_t)(end - at) - length, secrets[kind].mark, length);
    struct buf out = buf_in(arena, goal.len * 2 + (marks + 4) * fleet->logs.egress.len + 4096);
    for (; mark != NULL; mark = memmem(from, (size_t)(end - from), secrets[kind].mark, length)) {
        const char *value = mark + length, *quote = memchr(value, '"', (size_t)(end - value));
        if (quote == NULL)
            return fail(arena, INTERNAL_ERROR);
        buf_add(&out, (str){ from, (size_t)(mark - from) });
        write_one(fleet, arena, kind, (str){ value, (size_t)(quote - value) }, &out);
        from = quote + 1;
    }
    buf_add(&out, (str){ from, (size_t)(end - from) });
    *ret_goal = buf_str(&out);
    return ret_goal->len == 0 ? fail(arena, OVERLOADED) : OK;
}

error
goal_open_secrets(struct fleet *fleet, struct arena *arena, str goal, str *ret_goal)
{
    *ret_goal = goal;
    for (size_t i = 0; i < LENGTH(secrets); i++)
        TRY(open_kind(fleet, arena, i, *ret_goal, ret_goal));
    return OK;
}
