/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/entry.h"

#include <stdlib.h>

#include "auth/credential.h"
#include "auth/project_switch.h"
#include "base/log.h"

static void
dispose_plain(struct cached *cached)
{
    free(cached);
}

static void
dispose_principal(struct cached *cached)
{
    struct principal_entry *entry = (struct principal_entry *)cached;
    crypto_wipe(&entry->secret, sizeof(entry->secret));
    free(entry);
}

static size_t
count_items(str list)
{
    size_t count = list.len > 0 ? 1 : 0;
    for (size_t i = 0; i < list.len; i++)
        count += list.data[i] == ',';
    return count;
}

static enum principal_kind
kind_from(str text)
{
    if (str_is(text, "service_account"))
        return PRINCIPAL_SERVICE_ACCOUNT;
    return str_is(text, "api_key") ? PRINCIPAL_API_KEY : PRINCIPAL_PERSON;
}

/* "<organization>[<project>]:ROLE,…" in order, so that the roles of one context stand together. A role that this program
 * does not know (a newer node granted it) gives nothing here. */
static bool
read_grants(str list, struct grant *grants, size_t *ret_count)
{
    size_t count = 0;
    while (list.len > 0) {
        str role = str_cut(&list, ',');
        str place = str_cut(&role, ':');
        struct grant grant = { .roles = role_from_name(role) };
        if (!id_parse(str_slice(place, 0, ID_DIGITS), &grant.organization))
            return false;
        if (place.len > ID_DIGITS && !id_parse(str_slice(place, ID_DIGITS, place.len), &grant.project))
            return false;
        struct grant *last = count == 0 ? NULL : &grants[count - 1];
        if (last != NULL && id_eq(last->organization, grant.organization) && id_eq(last->project, grant.project))
            last->roles |= grant.roles;
        else
            grants[count++] = grant;
    }
    *ret_count = count;
    return true;
}

/* `list` has 24 digits for each organization, and 24 for its provider. */
static void
mark_federated(str list, struct grant *grants, size_t count)
{
    while (list.len > 0) {
        id organization, provider;
        str both = str_cut(&list, ',');
        bool is_one = both.len == (size_t)2 * ID_DIGITS && id_parse(str_slice(both, 0, ID_DIGITS), &organization) &&
                      id_parse(str_slice(both, ID_DIGITS, both.len), &provider);
        for (size_t i = 0; is_one && i < count; i++) {
            if (id_eq(grants[i].organization, organization))
                grants[i].provider = provider;
        }
    }
}

static bool
read_blocks(str list, struct net_block *blocks, size_t *ret_count)
{
    size_t count = 0;
    while (list.len > 0) {
        if (!net_parse_block(str_cut(&list, ','), &blocks[count++]))
            return false;
    }
    *ret_count = count;
    return true;
}

static bool
read_secret(struct arena *arena, const struct rows *rows, id owner, const struct key *data_key_sealing,
            struct digest_secret *ret)
{
    struct key data_key;
    str md5, sha256;
    if (!credential_open_data_key(arena, data_key_sealing, rows_id(rows, 0, C_ORGANIZATION),
                                  rows_int(rows, 0, C_KEY_VERSION), rows_bytes(arena, rows, 0, C_KEY_SEALED),
                                  &data_key))
        return false;
    bool opened =
        credential_open(arena, &data_key, owner, "ha1_md5", rows_bytes(arena, rows, 0, C_HA1_MD5), &md5) &&
        credential_open(arena, &data_key, owner, "ha1_sha256", rows_bytes(arena, rows, 0, C_HA1_SHA256), &sha256) &&
        md5.len == sizeof(ret->md5_hex) && sha256.len == sizeof(ret->sha256_hex);
    crypto_wipe(&data_key, sizeof(data_key));
    if (!opened)
        return false;
    memcpy(ret->md5_hex, md5.data, md5.len);
    memcpy(ret->sha256_hex, sha256.data, sha256.len);
    crypto_wipe((char *)md5.data, md5.len);
    crypto_wipe((char *)sha256.data, sha256.len);
    return true;
}

error
entry_of_principal(struct arena *arena, const struct rows *rows, const struct key *data_key_sealing,
                   int64_t began_at_ms, struct principal_entry **ret_entry)
{
    str grants = rows_text(rows, 0, C_GRANTS), blocks = rows_text(rows, 0, C_BLOCKS);
    str revoked = rows_text(rows, 0, C_REVOKED), name = rows_text(rows, 0, C_NAME);
    size_t grants_bytes = count_items(grants) * sizeof(struct grant);
    size_t blocks_bytes = count_items(blocks) * sizeof(struct net_block);
    size_t revoked_count = revoked.len / (2 * TOKEN_FINGERPRINT_BYTES);
    /* No part needs more alignment than a role_set, which comes first. */
    struct principal_entry *entry = calloc(1, sizeof(*entry) + grants_bytes + blocks_bytes +
                                                  revoked_count * TOKEN_FINGERPRINT_BYTES + name.len + 1);
    if (entry == NULL)
        return fail(arena, OVERLOADED);
    atomic_init(&entry->cached.references, 1);
    entry->cached.loaded_at_ms = began_at_ms;
    entry->cached.dispose = dispose_principal;

    struct principal *p = &entry->principal;
    char *at = (char *)(entry + 1);
    struct grant *grant_room = (struct grant *)at;
    struct net_block *block_room = (struct net_block *)(at += grants_bytes);
    uint8_t(*revoked_room)[TOKEN_FINGERPRINT_BYTES] = (void *)(at += blocks_bytes);
    char *name_room = at + revoked_count * TOKEN_FINGERPRINT_BYTES;
    p->id = rows_id(rows, 0, C_ID);
    p->kind = kind_from(rows_text(rows, 0, C_KIND));
    if (!rows_is_null(rows, 0, C_ORGANIZATION))
        p->organization = rows_id(rows, 0, C_ORGANIZATION);
    p->generation = rows_int(rows, 0, C_GENERATION);
    p->access_list_required = rows_bool(rows, 0, C_LIST_REQUIRED);
    p->loaded_at_ms = began_at_ms;
    p->grants = grant_room;
    p->blocks = block_room;
    p->revoked = (const uint8_t(*)[TOKEN_FINGERPRINT_BYTES])revoked_room;
    p->revoked_count = revoked_count;
    memcpy(name_room, name.data, name.len);
    p->name = (str){ name_room, name.len };

    bool good = read_grants(grants, grant_room, &p->grant_count) && read_blocks(blocks, block_room, &p->block_count) &&
                str_from_hex(revoked, revoked_room, revoked_count * TOKEN_FINGERPRINT_BYTES);
    if (good)
        mark_federated(rows_text(rows, 0, C_FEDERATED), grant_room, p->grant_count);
    if (good && p->kind == PRINCIPAL_API_KEY)
        good = entry->has_secret = read_secret(arena, rows, p->id, data_key_sealing, &entry->secret);
    if (!good) {
        log_line(LOG_ERROR, "principal_unreadable",
                 "The row of principal %s cannot be read: was the master key changed?", id_text(arena, p->id).data);
        cached_release(entry);
        return fail(arena, INTERNAL_ERROR);
    }
    *ret_entry = entry;
    return OK;
}

/* "S17:<capacity>:<refill>,…"; a set that this program does not know has no bucket here. */
static size_t
read_overrides(str list, struct limit_override *overrides)
{
    size_t count = 0;
    while (list.len > 0) {
        str refill = str_cut(&list, ',');
        str label = str_cut(&refill, ':');
        str capacity = str_cut(&refill, ':');
        struct limit_override *override = &overrides[count];
        for (int set = 0; set < SET_COUNT; set++) {
            if (str_is(label, set_rows[set].label) && str_to_int(capacity, 1, INT64_MAX, &override->capacity) &&
                str_to_int(refill, 1, INT64_MAX, &override->refill)) {
                override->set = (enum set_label)set;
                count++;
                break;
            }
        }
    }
    return count;
}

error
entry_of_facts(struct arena *arena, const struct rows *rows, int64_t began_at_ms, struct facts_entry **ret_entry)
{
    str overrides = rows_text(rows, 0, C_OVERRIDES);
    str reason = rows_text(rows, 0, C_LOCK_REASON);
    size_t override_bytes = count_items(overrides) * sizeof(struct limit_override);
    struct facts_entry *entry = calloc(1, sizeof(*entry) + override_bytes + reason.len);
    if (entry == NULL)
        return fail(arena, OVERLOADED);
    atomic_init(&entry->cached.references, 1);
    entry->cached.loaded_at_ms = began_at_ms;
    entry->cached.dispose = dispose_plain;
    struct limit_override *room = (struct limit_override *)(entry + 1);
    entry->facts = (struct context_facts){ .exists = true, .overrides = room, .loaded_at_ms = began_at_ms };
    if (!rows_is_null(rows, 0, C_ORGANIZATION))
        entry->facts.organization = rows_id(rows, 0, C_ORGANIZATION);
    if (!rows_is_null(rows, 0, C_PROJECT))
        entry->facts.project = rows_id(rows, 0, C_PROJECT);
    entry->facts.switched_off = project_switches_named(rows_text(rows, 0, C_SWITCHED_OFF));
    entry->facts.locked = !rows_is_null(rows, 0, C_LOCK_REASON);
    if (reason.len > 0) {
        char *reason_room = (char *)room + override_bytes;
        memcpy(reason_room, reason.data, reason.len);
        entry->facts.lock_reason = (str){ reason_room, reason.len };
    }
    entry->facts.override_count = read_overrides(overrides, room);
    *ret_entry = entry;
    return OK;
}

error
entry_of_session(struct arena *arena, const struct rows *rows, int64_t began_at_ms, struct session_entry **ret_entry)
{
    str mac = rows_bytes(arena, rows, 0, C_MAC);
    struct session_entry *entry = calloc(1, sizeof(*entry));
    if (entry == NULL || mac.len != SHA256_BYTES) {
        free(entry);
        return fail(arena, OVERLOADED);
    }
    atomic_init(&entry->cached.references, 1);
    entry->cached.loaded_at_ms = began_at_ms;
    entry->cached.dispose = dispose_plain;
    entry->facts.person = rows_id(rows, 0, C_PERSON);
    memcpy(entry->facts.mac, mac.data, SHA256_BYTES);
    entry->facts.is_device = rows_bool(rows, 0, C_IS_DEVICE);
    if (!rows_is_null(rows, 0, C_PROVIDER))
        entry->facts.provider = rows_id(rows, 0, C_PROVIDER);
    entry->facts.ends_at_ms = began_at_ms + rows_int(rows, 0, C_LEFT_MS);
    entry->facts.verified_at_ms = began_at_ms - rows_int(rows, 0, C_VERIFIED_MS);
    atomic_init(&entry->facts.used, false);
    *ret_entry = entry;
    return OK;
}

struct key_entry *
entry_of_key(id principal, int64_t began_at_ms)
{
    struct key_entry *entry = calloc(1, sizeof(*entry));
    if (entry == NULL)
        return NULL;
    atomic_init(&entry->cached.references, 1);
    entry->cached.loaded_at_ms = began_at_ms;
    entry->cached.dispose = dispose_plain;
    entry->principal = principal;
    return entry;
}
