/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/person/password.h"

#include <argon2.h>
#include <stdatomic.h>
#include <strings.h>

/* What OWASP recommends as the least: 19 MiB, twice. The numbers are part of what is kept, so that others can follow. */
enum { MEMORY_KIB = 19 * 1024, PASSES = 2, LANES = 1, SALT_BYTES = 16, HASH_BYTES = 32, TEXT_BYTES = 128, WAIT_S = 1 };

/* ---- Which are taken ---- */
/* The commonest of at least twelve characters, as lists of stolen ones have them; in small letters. */
static const char *const commonest[] = {
    "000000000000",
    "0987654321qwerty",
    "111111111111",
    "112233445566",
    "121212121212",
    "123123123123",
    "1234567890123",
    "12345678901234",
    "123456789012",
    "1234567890qwerty",
    "1234567890ab",
    "123456789abc",
    "123456789123",
    "123qweasdzxc",
    "1q2w3e4r5t6y",
    "1qaz2wsx3edc",
    "1qazxsw23edc",
    "aaaaaaaaaaaa",
    "abcdefghijkl",
    "administrator",
    "administrator1",
    "admin123456789",
    "asdfghjkl123",
    "changemechangeme",
    "changeme1234",
    "correcthorsebatterystaple",
    "correct horse battery staple",
    "iloveyou1234",
    "letmeinletmein",
    "letmein123456",
    "manchesterunited",
    "p@ssw0rd1234",
    "password1234",
    "password12345",
    "password123456",
    "passwordpassword",
    "qazwsxedcrfv",
    "qwerty123456",
    "qwertyqwerty",
    "qwertyuiop12",
    "qwertyuiop123",
    "qwertyuiopasdfghjkl",
    "q1w2e3r4t5y6",
    "welcome12345",
    "welcomewelcome",
    "zxcvbnm12345",
};

static bool
is_same(str one, str other)
{
    return one.len == other.len && strncasecmp(one.data, other.data, one.len) == 0;
}

static bool
holds(str text, str part)
{
    for (size_t at = 0; part.len > 0 && at + part.len <= text.len; at++) {
        if (is_same(str_slice(text, at, at + part.len), part))
            return true;
    }
    return false;
}

const char *
password_problem(str password, str username)
{
    str rest = username;
    if (holds(password, username) || is_same(password, str_cut(&rest, '@')))
        return "it is the account's own address";
    for (size_t i = 0; i < LENGTH(commonest); i++) {
        if (is_same(password, str_from(commonest[i])))
            return "it is one of the commonest passwords";
    }
    return NULL;
}

/* ---- What is kept ---- */
static atomic_int under_way;

static error
take_turn(struct arena *arena)
{
    if (atomic_fetch_add(&under_way, 1) < PASSWORDS_AT_ONCE)
        return OK;
    atomic_fetch_sub(&under_way, 1);
    return error_retry_after(arena, fail(arena, OVERLOADED), WAIT_S);
}

static void
end_turn(void)
{
    atomic_fetch_sub(&under_way, 1);
}

error
password_make(struct arena *arena, const struct key *pepper, str password, str *ret_hash)
{
    uint8_t mac[SHA256_BYTES], salt[SALT_BYTES];
    char text[TEXT_BYTES];
    TRY(take_turn(arena));
    crypto_hmac_sha256(pepper, password, mac);
    crypto_random(salt, sizeof(salt));
    int problem = argon2id_hash_encoded(PASSES, MEMORY_KIB, LANES, mac, sizeof(mac), salt, sizeof(salt), HASH_BYTES,
                                        text, sizeof(text));
    end_turn();
    crypto_wipe(mac, sizeof(mac));
    if (problem != ARGON2_OK) /* there was no memory */
        return error_retry_after(arena, fail(arena, OVERLOADED), WAIT_S);
    *ret_hash = str_dup(arena, str_from(text));
    return ret_hash->len > 0 ? OK : fail(arena, OVERLOADED);
}

error
password_check(struct arena *arena, const struct key *pepper, str password, str hash, bool *ret_right)
{
    /* A hash of the same cost that nothing has: of 32 random bytes that nobody kept. */
    static const char nobodys[] =
        "$argon2id$v=19$m=19456,t=2,p=1$cmVldmUgbm9ib2R5IDEyMw$2l1YkRhhdqHLOxl3ocMAf5VBkNgGXrV1A4Yz2zNqHnc";
    uint8_t mac[SHA256_BYTES];
    const char *kept = hash.len > 0 ? str_dup(arena, hash).data : nobodys;
    if (kept == NULL)
        return fail(arena, OVERLOADED);
    TRY(take_turn(arena));
    crypto_hmac_sha256(pepper, password, mac);
    int problem = argon2id_verify(kept, mac, sizeof(mac));
    end_turn();
    crypto_wipe(mac, sizeof(mac));
    if (problem != ARGON2_OK && problem != ARGON2_VERIFY_MISMATCH)
        return problem == ARGON2_MEMORY_ALLOCATION_ERROR ? error_retry_after(arena, fail(arena, OVERLOADED), WAIT_S)
                                                         : fail(arena, INTERNAL_ERROR);
    *ret_right = hash.len > 0 && problem == ARGON2_OK;
    return OK;
}
