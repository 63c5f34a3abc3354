/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/log_goal.h"

#include "base/crypto/backup_secret.h"
#include "base/disk.h"
#include "base/given_secret.h"
#include "base/json.h"
#include "base/log.h"
#include "fleet/role_keys.h"
#include "store/fleet/host.h"

enum { AUTHORITY_BYTES = 1024 * 1024, BEGIN_BYTES = 3 * 1024 * 1024, BLOCK_BYTES = 16 * 1024 * 1024 };

struct log_goal
log_goal_new(struct arena *arena, const struct key *master_key, const struct log_goal_config *config)
{
    struct buf out = buf_in(arena, BEGIN_BYTES);
    str authority = STR_EMPTY;
    buf_add_text(&out, "\"networks\":[");
    for (size_t i = 0; i < config->network_count; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        buf_add_json(&out, str_from(config->networks[i]));
    }
    buf_add_char(&out, ']');
    if (str_from(config->authority_file).len > 0 &&
        !disk_read(arena, config->authority_file, AUTHORITY_BYTES, &authority))
        log_line(LOG_ERROR, "egress_ca",
                 "%s cannot be read: hosts check receivers of logs and exports against their own authorities.",
                 config->authority_file);
    if (authority.len > 0) {
        buf_add_text(&out, ",\"authority\":");
        buf_add_json(&out, authority);
    }
    return (struct log_goal){
        .key = crypto_derive(master_key, LOG_TARGET_KEY_PURPOSE),
        .backup_key = crypto_derive(master_key, BACKUP_KEY_PURPOSE),
        .egress = buf_str(&out),
        .relay = str_dup(arena, str_from(config->relay)),
    };
}

static json_t *
tell_whose(json_t *target, const json_t *stored)
{
    json_object_set(target, "id", json_object_get(stored, "id"));
    json_object_set(target, "projectId", json_object_get(stored, "projectId"));
    json_object_set(target, "logs", json_object_get(stored, "logTypes"));
    return target;
}

/* Without the operator's half of the role there is no address: the host keeps its place, and says why it writes nothing. */
static json_t *
open_bucket(const struct log_goal *logs, struct arena *arena, const json_t *role)
{
    struct role_keys keys = { STR_EMPTY, STR_EMPTY, STR_EMPTY };
    str both = json_str(json_object_get(role, "keys")), owner = str_cut(&both, ':');
    bool is_there = role_keys_open(arena, &logs->backup_key, owner, both, &keys);
    return json_in(
        arena, json_pack("{s:s, s:s, s:{}, s:O, s:O, s:O, s:s%, s:s%, s:s%}", "form", "OBJECTS", "url",
                         is_there ? json_str(json_object_get(role, "url")).data : "", "headers", "bucket",
                         json_object_get(role, "bucket"), "region", json_object_get(role, "region"), "prefix",
                         json_object_get(role, "prefix"), "key", keys.key.len > 0 ? keys.key.data : "", keys.key.len,
                         "secretKey", keys.secret_key.len > 0 ? keys.secret_key.data : "", keys.secret_key.len,
                         "authority", keys.authority.len > 0 ? keys.authority.data : "", keys.authority.len));
}

/* What is sealed is {"secrets", "target": {"form", "url", "headers", "relayed"}}; the target is what the host is told. */
static const json_t *
open_target(const struct log_goal *logs, struct arena *arena, const json_t *stored)
{
    id own;
    if (!id_parse(json_str(json_object_get(stored, "id")), &own))
        return NULL;
    if (json_is_object(json_object_get(stored, "role")))
        return tell_whose(open_bucket(logs, arena, json_object_get(stored, "role")), stored);
    const json_t *sealed = given_secret_open(arena, &logs->key, given_secret_place(arena, "logIntegration", own),
                                             json_str(json_object_get(stored, "sealed")));
    json_t *target = json_object_get(sealed, "target");
    if (target == NULL) {
        log_line(LOG_ERROR, "log_integration", "Log integration %s cannot be opened with this key.",
                 id_text(arena, own).data);
        return NULL;
    }
    str url = json_str(json_object_get(target, "url")), scheme = STR("https://");
    if (json_is_true(json_object_get(target, "relayed")) && logs->relay.len > 0) {
        str over = str_format(arena, "%s/%s", logs->relay.data, url.data + scheme.len);
        json_object_set_new(target, "url", json_stringn(over.data, over.len));
    }
    return tell_whose(target, stored);
}

error
log_goal_add(const struct log_goal *logs, struct store *store, struct arena *arena, id host, str *goal)
{
    str stored;
    size_t i, count = 0;
    const json_t *one;
    TRY(store_host_log_targets(store, arena, host, &stored));
    const json_t *all = stored.len == 0 ? NULL : json_parse_own(arena, stored);
    if (json_array_size(all) == 0)
        return OK;
    struct buf out = buf_in(arena, goal->len + BLOCK_BYTES);
    buf_add(&out, str_slice(*goal, 0, goal->len - 1)); /* without the last brace */
    buf_format(&out, ",\"logs\":{%s,\"targets\":[", logs->egress.data);
    json_array_foreach(all, i, one)
    {
        const json_t *target = open_target(logs, arena, one);
        if (target == NULL)
            continue;
        buf_add_text(&out, count++ == 0 ? "" : ",");
        buf_add(&out, json_text(arena, target));
    }
    buf_add_text(&out, "]}}");
    *goal = buf_str(&out);
    return goal->len > 0 ? OK : fail(arena, OVERLOADED);
}
