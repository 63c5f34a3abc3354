/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/person/challenge.h"

/* Expiry 4, random 12, MAC 16 over what it is for and these. */
enum { RANDOM_AT = 4, MAC_AT = 16, MAC_BYTES = PASSKEY_CHALLENGE_BYTES - MAC_AT };

static void
make_mac(const struct key *key, enum challenge_use use, const uint8_t *challenge, uint8_t ret_mac[SHA256_BYTES])
{
    uint8_t over[1 + MAC_AT] = { (uint8_t)use };
    memcpy(over + 1, challenge, MAC_AT);
    crypto_hmac_sha256(key, (str){ (const char *)over, sizeof(over) }, ret_mac);
}

void
challenge_new(const struct key *key, enum challenge_use use, int64_t now_s,
              uint8_t ret_challenge[PASSKEY_CHALLENGE_BYTES])
{
    uint8_t mac[SHA256_BYTES];
    uint32_t expires_s = (uint32_t)(now_s + CHALLENGE_LIFETIME_S);
    for (int i = 0; i < RANDOM_AT; i++)
        ret_challenge[i] = (uint8_t)(expires_s >> (24 - 8 * i));
    crypto_random(ret_challenge + RANDOM_AT, MAC_AT - RANDOM_AT);
    make_mac(key, use, ret_challenge, mac);
    memcpy(ret_challenge + MAC_AT, mac, MAC_BYTES);
}

int64_t
challenge_expires_at_s(const uint8_t challenge[PASSKEY_CHALLENGE_BYTES])
{
    uint32_t expires_s = 0;
    for (int i = 0; i < RANDOM_AT; i++)
        expires_s = expires_s << 8 | challenge[i];
    return expires_s;
}

bool
challenge_is_good(const struct key *key, enum challenge_use use, int64_t now_s,
                  const uint8_t challenge[PASSKEY_CHALLENGE_BYTES])
{
    uint8_t mac[SHA256_BYTES];
    make_mac(key, use, challenge, mac);
    int64_t left_s = challenge_expires_at_s(challenge) - now_s;
    return crypto_equal(mac, challenge + MAC_AT, MAC_BYTES) && left_s > 0 && left_s <= CHALLENGE_LIFETIME_S;
}
