/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a cluster has backups is a field of its document. What follows from it is done in the transaction of the change: a history begins
 * and gets a place on a repository host, or the present one ends. Without a host that has room nothing changes.
 */
#include "api/api.h"
#include "auth/auth.h"
#include "base/crypto/backup_secret.h"
#include "base/json.h"
#include "cluster/backup.h"
#include "cluster/plan.h"
#include "family/cluster/clusters.h"
#include "store/backup/policy.h"
#include "store/backup/stanza.h"
#include "store/resource.h"

/* Any moment is restored from a snapshot and the WAL after it. */
error
cluster_backups_check(struct request *req, json_t *document)
{
    if (json_is_true(json_object_get(document, "pitEnabled")) &&
        !json_is_true(json_object_get(document, "backupEnabled")))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("pitEnabled"),
                    V("it needs backups: set backupEnabled to true as well"));
    for (size_t i = 0; i < LENGTH(backup_fields); i++) {
        if (!json_is_true(json_object_get(document, backup_fields[i])))
            json_object_del(document, backup_fields[i]);
    }
    return OK;
}

error
cluster_backups_check_policy(struct request *req, const json_t *document)
{
    struct resource policy;
    bool found;
    if (json_is_true(json_object_get(document, "backupEnabled")))
        return OK;
    TRY(store_backup_policy_hold(req->tx, req->organization, req->project));
    TRY(store_resource_lock(req->tx, req->project, STR(COMPLIANCE_POLICY_KIND), STR_EMPTY, &found, &policy));
    return found ? fail(req->arena, BELOW_COMPLIANCE_POLICY, V("backupEnabled"),
                        V("each cluster of the project must have backups"))
                 : OK;
}

static error
begin(struct request *req, struct cluster *cluster, const struct wanted *wanted)
{
    struct key key = auth_key_for(req->api->auth, BACKUP_KEY_PURPOSE);
    struct seat_place place = backup_place(wanted);
    id stanza = id_new(store_cell(req->api->store));
    bool placed;
    str cipher;
    bool sealed = backup_cipher_new(req->arena, &key, stanza, &cipher);
    crypto_wipe(&key, sizeof(key));
    if (!sealed)
        return fail(req->arena, INTERNAL_ERROR);
    TRY(store_stanza_add(req->tx, cluster->organization, cluster->id, stanza, cipher));
    TRY(store_seat_place(req->tx, stanza, &place, &placed));
    if (!placed)
        return fail(req->arena, NO_BACKUP_CAPACITY, V(place.region), V(place.provider), V(place.reserved_gb));
    return store_cluster_touch(req->tx, cluster);
}

error
cluster_backups_check_kept(struct request *req, const struct cluster *cluster)
{
    bool has_any;
    TRY(store_stanza_any(req->tx, cluster->organization, cluster->id, &has_any));
    return has_any ? OK : fail(req->arena, NOT_OFFERED, V("Keeping backups of this cluster"), V("it has none to keep"));
}

error
cluster_backups_follow(struct request *req, struct cluster *cluster)
{
    struct wanted wanted;
    bool is_open, wants = json_is_true(json_object_get(cluster->document, "backupEnabled"));
    id stanza;
    if (!wanted_from_document(cluster->document, &wanted))
        return fail(req->arena, INTERNAL_ERROR);
    TRY(store_stanza_open(req->tx, cluster->organization, cluster->id, &is_open, &stanza));
    if (wants == is_open)
        return OK;
    if (wants)
        return begin(req, cluster, &wanted);
    TRY(store_stanza_end(req->tx, cluster->organization, cluster->id));
    return store_cluster_touch(req->tx, cluster);
}
