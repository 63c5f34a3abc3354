/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys that sign tokens and nonces. All nodes share them through the table signing_key, where they are sealed under
 * a key derived from the master key. The newest signs, all verify. Thread safe.
 */
#ifndef AUTH_KEYRING_H
#define AUTH_KEYRING_H

#include "base/crypto/crypto.h"
#include "base/error.h"
#include "store/store.h"

struct keyring;

enum { KEYRING_MAX_ID = 255 };

MUST_USE struct keyring *keyring_new(struct store *store, const struct key *sealing_key);
void keyring_free(struct keyring *keyring);

/* Another node changed the keys: ask the database before those in memory are used again. */
void keyring_mark_stale(struct keyring *keyring);
/* When the keys in memory were read (steady clock, ms); -1 when there are none or they were marked stale. */
int64_t keyring_loaded_at_ms(struct keyring *keyring);
bool keyring_is_loaded(struct keyring *keyring);
/* Reads the keys; makes the first one when there is none. On failure those in memory stay. */
MUST_USE error keyring_load(struct keyring *keyring, struct arena *arena);
/* The same, but with a limit on how often, because attackers can trigger it: beyond it the result is OK at once. */
MUST_USE error keyring_load_sparingly(struct keyring *keyring, struct arena *arena);
/* Makes a new key, which signs from now on, and removes keys whose tokens have all expired. */
MUST_USE error keyring_rotate(struct keyring *keyring, struct arena *arena);

/* All of these answer from memory. */
MUST_USE bool keyring_find(struct keyring *keyring, uint8_t key_id, struct key *ret_key);
MUST_USE bool keyring_newest(struct keyring *keyring, uint8_t *ret_key_id, struct key *ret_key);
/* Keys for nonces, derived from those for tokens, newest first; how many there are. */
size_t keyring_nonce_keys(struct keyring *keyring, struct key ret_keys[], size_t max);

#endif
