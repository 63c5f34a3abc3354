/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/person/visit.h"

#include "auth/jwt.h"

/* Expiry 4, what it is for 1, random 16, provider 12, session 12, MAC 32 over these. */
enum { USE_AT = 4, RANDOM_AT = 5, PROVIDER_AT = 21, SESSION_AT = 33, MAC_AT = 45, BYTES = MAC_AT + SHA256_BYTES };
_Static_assert((BYTES * 4 + 2) / 3 == VISIT_TEXT_LENGTH, "the length of the text");
enum { TO_SIGN_IN = 's', TO_CONFIRM = 'c' };

/* One key, four purposes: the first byte keeps them apart. */
static void
make_mac(const struct key *key, char purpose, const uint8_t bytes[MAC_AT], uint8_t ret_mac[SHA256_BYTES])
{
    uint8_t over[1 + MAC_AT] = { (uint8_t)purpose };
    memcpy(over + 1, bytes, MAC_AT);
    crypto_hmac_sha256(key, (str){ (const char *)over, sizeof(over) }, ret_mac);
}

static str
make_word(struct arena *arena, const struct key *key, char purpose, const uint8_t bytes[MAC_AT])
{
    uint8_t mac[SHA256_BYTES];
    make_mac(key, purpose, bytes, mac);
    return str_base64url(arena, mac, sizeof(mac));
}

str
visit_new(struct arena *arena, const struct key *key, int64_t now_s, id provider, id session)
{
    uint8_t bytes[BYTES] = { 0 };
    uint32_t expires_s = (uint32_t)(now_s + VISIT_LIFETIME_S);
    for (int i = 0; i < USE_AT; i++)
        bytes[i] = (uint8_t)(expires_s >> (24 - 8 * i));
    bytes[USE_AT] = id_is_there(session) ? TO_CONFIRM : TO_SIGN_IN;
    crypto_random(bytes + RANDOM_AT, PROVIDER_AT - RANDOM_AT);
    memcpy(bytes + PROVIDER_AT, provider.bytes, ID_BYTES);
    if (id_is_there(session))
        memcpy(bytes + SESSION_AT, session.bytes, ID_BYTES);
    make_mac(key, 'm', bytes, bytes + MAC_AT);
    return str_base64url(arena, bytes, sizeof(bytes));
}

bool
visit_read(struct arena *arena, const struct key *key, int64_t now_s, str text, struct visit *ret_visit)
{
    uint8_t bytes[BYTES], mac[SHA256_BYTES];
    if (text.len != VISIT_TEXT_LENGTH || !str_from_base64url(text, bytes, sizeof(bytes)))
        return false;
    make_mac(key, 'm', bytes, mac);
    if (!crypto_equal(mac, bytes + MAC_AT, SHA256_BYTES))
        return false;
    int64_t expires_s = 0;
    for (int i = 0; i < USE_AT; i++)
        expires_s = expires_s << 8 | bytes[i];
    /* The clock of the node that made it may be ahead. */
    int64_t left_s = expires_s - now_s;
    if (left_s <= 0 || left_s > VISIT_LIFETIME_S + JWT_LEEWAY_S)
        return false;
    *ret_visit = (struct visit){
        .began_at_s = expires_s - VISIT_LIFETIME_S,
        .provider = id_of_bytes(bytes + PROVIDER_AT),
        .session = bytes[USE_AT] == TO_CONFIRM ? id_of_bytes(bytes + SESSION_AT) : ID_NONE,
        .state = make_word(arena, key, 's', bytes),
        .nonce = make_word(arena, key, 'n', bytes),
        .verifier = make_word(arena, key, 'v', bytes),
    };
    crypto_sha256(text, ret_visit->hash);
    return ret_visit->verifier.len == VISIT_WORD_LENGTH;
}

str
visit_code_challenge(struct arena *arena, const struct visit *visit)
{
    uint8_t hash[SHA256_BYTES];
    crypto_sha256(visit->verifier, hash);
    return str_base64url(arena, hash, sizeof(hash));
}
