/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/fleet.h"

#include <stdlib.h>

#include "base/crypto/backup_secret.h"
#include "base/crypto/directory_password.h"
#include "base/crypto/etcd_password.h"
#include "base/given_secret.h"

enum { FLEET_ARENA_BYTES = 4 * 1024 * 1024, ETCD_MAX_BYTES = 64 * 1024 };

static str
list_endpoints(struct arena *arena, const struct fleet_config *config)
{
    struct buf out = buf_in(arena, ETCD_MAX_BYTES);
    buf_add_char(&out, '[');
    for (size_t i = 0; i < config->etcd_count; i++) {
        if (i > 0)
            buf_add_char(&out, ',');
        buf_add_json(&out, str_from(config->etcd[i]));
    }
    buf_add_char(&out, ']');
    return buf_str(&out);
}

struct fleet
fleet_keys(struct store *store, const struct key *master_key)
{
    return (struct fleet){
        .store = store,
        .authority_key = crypto_derive(master_key, "fleet authority v1"),
        .token_key = crypto_derive(master_key, "join token v1"),
        .directory_key = crypto_derive(master_key, DIRECTORY_KEY_PURPOSE),
        .etcd_key = crypto_derive(master_key, ETCD_KEY_PURPOSE),
        .backup_key = crypto_derive(master_key, BACKUP_KEY_PURPOSE),
        .export_key = crypto_derive(master_key, EXPORT_BUCKET_KEY_PURPOSE),
        .key_service_key = crypto_derive(master_key, KEY_SERVICE_KEY_PURPOSE),
    };
}

struct fleet *
fleet_new(const struct fleet_config *config)
{
    struct arena *arena = arena_new(FLEET_ARENA_BYTES);
    struct fleet *fleet = arena == NULL ? NULL : ARENA_NEW(arena, struct fleet);
    if (fleet == NULL) {
        arena_free(arena);
        return NULL;
    }
    *fleet = fleet_keys(store_new(&config->store), &config->master_key);
    fleet->arena = arena;
    fleet->domain = str_dup(arena, str_from(config->domain));
    fleet->etcd_json = list_endpoints(arena, config);
    fleet->monitor = config->monitor;
    fleet->logs = log_goal_new(arena, &config->master_key, &config->logs);
    if (fleet->store != NULL && !arena_is_exhausted(arena))
        return fleet;
    fleet_free(fleet);
    return NULL;
}

void
fleet_free(struct fleet *fleet)
{
    if (fleet == NULL)
        return;
    struct arena *arena = fleet->arena;
    if (fleet->store != NULL)
        store_free(fleet->store);
    crypto_wipe(&fleet->authority_key, sizeof(fleet->authority_key));
    crypto_wipe(&fleet->token_key, sizeof(fleet->token_key));
    crypto_wipe(&fleet->directory_key, sizeof(fleet->directory_key));
    crypto_wipe(&fleet->etcd_key, sizeof(fleet->etcd_key));
    crypto_wipe(&fleet->backup_key, sizeof(fleet->backup_key));
    crypto_wipe(&fleet->export_key, sizeof(fleet->export_key));
    crypto_wipe(&fleet->key_service_key, sizeof(fleet->key_service_key));
    crypto_wipe(&fleet->logs.key, sizeof(fleet->logs.key));
    arena_free(arena);
}
