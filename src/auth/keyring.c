/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/keyring.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/auth/principal.h"

/* Anybody can send a token that names an unknown key, and each costs a query: so many a second are enough. */
enum { SPARING_LOADS_PER_S = 10 };

struct keys {
    size_t count;
    uint8_t ids[KEYRING_MAX_ID]; /* newest first */
    bool present[KEYRING_MAX_ID + 1];
    struct key signing[KEYRING_MAX_ID + 1], nonce[KEYRING_MAX_ID + 1];
};

struct keyring {
    struct store *store;
    struct key sealing_key;
    pthread_rwlock_t lock;
    struct keys keys;
    int64_t loaded_at_ms;
    uint64_t loaded_sequence;
    atomic_ullong sequence; /* moves with every change that is heard of */
    pthread_mutex_t sparing_lock;
    int64_t sparing_second;
    int sparing_count;
};

struct keyring *
keyring_new(struct store *store, const struct key *sealing_key)
{
    struct keyring *keyring = calloc(1, sizeof(*keyring));
    if (keyring == NULL)
        return NULL;
    keyring->store = store;
    keyring->sealing_key = *sealing_key;
    pthread_rwlock_init(&keyring->lock, NULL);
    pthread_mutex_init(&keyring->sparing_lock, NULL);
    return keyring;
}

void
keyring_free(struct keyring *keyring)
{
    if (keyring == NULL)
        return;
    pthread_rwlock_destroy(&keyring->lock);
    pthread_mutex_destroy(&keyring->sparing_lock);
    crypto_wipe(keyring, sizeof(*keyring));
    free(keyring);
}

void
keyring_mark_stale(struct keyring *keyring)
{
    atomic_fetch_add(&keyring->sequence, 1);
}

int64_t
keyring_loaded_at_ms(struct keyring *keyring)
{
    pthread_rwlock_rdlock(&keyring->lock);
    bool good = keyring->keys.count > 0 && keyring->loaded_sequence == atomic_load(&keyring->sequence);
    int64_t at = good ? keyring->loaded_at_ms : -1;
    pthread_rwlock_unlock(&keyring->lock);
    return at;
}

bool
keyring_is_loaded(struct keyring *keyring)
{
    pthread_rwlock_rdlock(&keyring->lock);
    bool loaded = keyring->keys.count > 0;
    pthread_rwlock_unlock(&keyring->lock);
    return loaded;
}

static str
place_of(struct arena *arena, int64_t key_id)
{
    return str_format(arena, "signing_key/%d/sealed", (int)key_id);
}

/* Inside the caller's transaction; false in *ret_added when another node has this id. */
static error
add_key(struct keyring *keyring, struct tx *tx, int64_t key_id, bool *ret_added)
{
    struct arena *arena = tx_arena(tx);
    struct key made;
    str sealed;
    crypto_random(made.bytes, KEY_BYTES);
    bool done = crypto_seal(arena, &keyring->sealing_key, place_of(arena, key_id),
                            (str){ (char *)made.bytes, KEY_BYTES }, &sealed);
    crypto_wipe(&made, sizeof(made));
    if (!done)
        return fail(arena, OVERLOADED);
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_KEY_ID, key_id);
    params_bytes(&params, P_SEALED, sealed);
    TRY(tx_query(tx, SQL_AUTH_SIGNING_KEY_ADD, &params, &rows, NULL));
    *ret_added = rows.count == 1;
    return OK;
}

static error
add_first_key(struct keyring *keyring, struct arena *arena)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool added;
    TRY(tx_begin_service(keyring->store, arena, &tx));
    TRY(add_key(keyring, tx, 1, &added));
    return tx_commit(tx);
}

static error
unseal(struct keyring *keyring, struct arena *arena, const struct rows *rows, struct keys *ret_keys)
{
    for (int i = 0; i < rows->count && ret_keys->count < KEYRING_MAX_ID; i++) {
        int64_t key_id = rows_int(rows, i, C_ID);
        str plain;
        if (!crypto_open(arena, &keyring->sealing_key, place_of(arena, key_id), rows_bytes(arena, rows, i, C_SEALED),
                         &plain) ||
            plain.len != KEY_BYTES) {
            log_line(LOG_ERROR, "signing_key_sealed", "Signing key %d does not open: was the master key changed?",
                     (int)key_id);
            return fail(arena, INTERNAL_ERROR);
        }
        ret_keys->ids[ret_keys->count++] = (uint8_t)key_id;
        ret_keys->present[key_id] = true;
        memcpy(ret_keys->signing[key_id].bytes, plain.data, KEY_BYTES);
        ret_keys->nonce[key_id] = crypto_derive(&ret_keys->signing[key_id], "digest nonce v1");
        crypto_wipe((char *)plain.data, plain.len);
    }
    return OK;
}

error
keyring_load(struct keyring *keyring, struct arena *arena)
{
    struct params params = { 0 };
    struct rows rows;
    int64_t began_at_ms = clock_steady_ms();
    uint64_t sequence = atomic_load(&keyring->sequence);
    TRY(store_read(keyring->store, arena, SQL_AUTH_SIGNING_KEY_LIST, &params, &rows));
    if (rows.count == 0) {
        TRY(add_first_key(keyring, arena));
        TRY(store_read(keyring->store, arena, SQL_AUTH_SIGNING_KEY_LIST, &params, &rows));
    }
    struct keys *loaded = ARENA_NEW(arena, struct keys);
    if (loaded == NULL)
        return fail(arena, OVERLOADED);
    error problem = unseal(keyring, arena, &rows, loaded);
    if (problem == OK && loaded->count == 0)
        problem = fail(arena, DATABASE_UNAVAILABLE);
    if (problem == OK) {
        pthread_rwlock_wrlock(&keyring->lock);
        /* Of two threads that load, the one that began later knows more. */
        if (began_at_ms >= keyring->loaded_at_ms) {
            keyring->keys = *loaded;
            keyring->loaded_at_ms = began_at_ms;
            keyring->loaded_sequence = sequence;
        }
        pthread_rwlock_unlock(&keyring->lock);
    }
    crypto_wipe(loaded, sizeof(*loaded));
    return problem;
}

error
keyring_load_sparingly(struct keyring *keyring, struct arena *arena)
{
    int64_t second = clock_steady_ms() / 1000;
    pthread_mutex_lock(&keyring->sparing_lock);
    if (keyring->sparing_second != second) {
        keyring->sparing_second = second;
        keyring->sparing_count = 0;
    }
    bool allowed = keyring->sparing_count++ < SPARING_LOADS_PER_S;
    pthread_mutex_unlock(&keyring->sparing_lock);
    return allowed ? keyring_load(keyring, arena) : OK;
}

error
keyring_rotate(struct keyring *keyring, struct arena *arena)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    bool added;
    TRY(tx_begin_service(keyring->store, arena, &tx));
    TRY(tx_query(tx, SQL_AUTH_SIGNING_KEY_LIST, &params, &rows, NULL));
    int64_t newest = rows.count == 0 ? 0 : rows_int(&rows, 0, C_ID);
    if (newest >= KEYRING_MAX_ID) {
        log_line(LOG_ERROR, "signing_keys_used_up", "All %d identifiers of signing keys were used.", KEYRING_MAX_ID);
        return fail(arena, INTERNAL_ERROR);
    }
    TRY(add_key(keyring, tx, newest + 1, &added));
    if (!added)
        return fail(arena, CONCURRENT_CHANGE, V("the signing keys"));
    TRY(tx_query(tx, SQL_AUTH_SIGNING_KEY_PRUNE, &params, &rows, NULL));
    TRY(authority_changed(tx, "keys", ID_NONE));
    TRY(tx_commit(tx));
    return keyring_load(keyring, arena);
}

bool
keyring_find(struct keyring *keyring, uint8_t key_id, struct key *ret_key)
{
    pthread_rwlock_rdlock(&keyring->lock);
    bool found = keyring->keys.present[key_id];
    if (found)
        *ret_key = keyring->keys.signing[key_id];
    pthread_rwlock_unlock(&keyring->lock);
    return found;
}

bool
keyring_newest(struct keyring *keyring, uint8_t *ret_key_id, struct key *ret_key)
{
    pthread_rwlock_rdlock(&keyring->lock);
    bool found = keyring->keys.count > 0;
    if (found) {
        *ret_key_id = keyring->keys.ids[0];
        *ret_key = keyring->keys.signing[*ret_key_id];
    }
    pthread_rwlock_unlock(&keyring->lock);
    return found;
}

size_t
keyring_nonce_keys(struct keyring *keyring, struct key ret_keys[], size_t max)
{
    pthread_rwlock_rdlock(&keyring->lock);
    size_t count = keyring->keys.count < max ? keyring->keys.count : max;
    for (size_t i = 0; i < count; i++)
        ret_keys[i] = keyring->keys.nonce[keyring->keys.ids[i]];
    pthread_rwlock_unlock(&keyring->lock);
    return count;
}
