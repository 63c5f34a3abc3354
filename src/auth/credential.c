/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/credential.h"

#include "auth/digest.h"
#include "auth/internal.h"
#include "store/auth/principal.h"

enum { PUBLIC_KEY_LENGTH = 8, FIRST_DATA_KEY = 1 };

/* ---- Shapes ---- */

str
credential_client_id(struct arena *arena, id account)
{
    char digits[ID_DIGITS + 1];
    id_write(account, digits);
    return str_format(arena, "reeve_sa_%s", digits);
}

bool
credential_parse_client_id(str text, id *ret_account)
{
    return text.len == CLIENT_ID_LENGTH && str_starts_with(text, STR("reeve_sa_")) &&
           id_parse(str_slice(text, 9, text.len), ret_account);
}

void
credential_secret_mac(const struct key *pepper, str secret, uint8_t ret_mac[SHA256_BYTES])
{
    crypto_hmac_sha256(pepper, secret, ret_mac);
}

/* "reeve_sk_…" and the last four characters: enough to tell secrets apart, and nothing to guess from. */
static str
mask_of(struct arena *arena, const char *kind, str secret)
{
    return str_format(arena, "reeve_%s_\u2026%.*s", kind, STR_ARG(str_slice(secret, secret.len - 4, secret.len)));
}

static str
new_public_key(struct arena *arena)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char text[PUBLIC_KEY_LENGTH + 1] = { 0 };
    for (int i = 0; i < PUBLIC_KEY_LENGTH;) {
        uint8_t random;
        crypto_random(&random, 1);
        /* 252 is the largest multiple of 36 in a byte: above it some characters would come more often. */
        if (random < 252)
            text[i++] = digits[random % 36];
    }
    return str_dup(arena, str_from(text));
}

/* ---- Sealing ---- */

static str
place_of_data_key(struct arena *arena, id organization, int64_t version)
{
    return str_format(arena, "data_key/%s/%d/sealed", id_text(arena, organization).data, (int)version);
}

static str
place_in_api_key(struct arena *arena, id owner, const char *column)
{
    return str_format(arena, "api_key/%s/%s", id_text(arena, owner).data, column);
}

bool
credential_open_data_key(struct arena *arena, const struct key *sealing, id organization, int64_t version, str sealed,
                         struct key *ret_key)
{
    str plain;
    if (!crypto_open(arena, sealing, place_of_data_key(arena, organization, version), sealed, &plain) ||
        plain.len != KEY_BYTES)
        return false;
    memcpy(ret_key->bytes, plain.data, KEY_BYTES);
    crypto_wipe((char *)plain.data, plain.len);
    return true;
}

bool
credential_open(struct arena *arena, const struct key *data_key, id owner, const char *column, str stored,
                str *ret_plain)
{
    if (stored.len < 1)
        return false;
    return crypto_open(arena, data_key, place_in_api_key(arena, owner, column), str_slice(stored, 1, stored.len),
                       ret_plain);
}

static bool
seal(struct arena *arena, const struct key *data_key, int64_t version, id owner, const char *column, str plain,
     str *ret_stored)
{
    str sealed;
    if (!crypto_seal(arena, data_key, place_in_api_key(arena, owner, column), plain, &sealed))
        return false;
    char *stored = arena_alloc(arena, sealed.len + 1);
    if (stored == NULL)
        return false;
    stored[0] = (char)version;
    memcpy(stored + 1, sealed.data, sealed.len);
    *ret_stored = (str){ stored, sealed.len + 1 };
    return true;
}

error
auth_create_data_key(struct auth *auth, struct tx *tx, id organization)
{
    struct arena *arena = tx_arena(tx);
    struct key made;
    str sealed;
    crypto_random(made.bytes, KEY_BYTES);
    bool done = crypto_seal(arena, &auth->data_key_sealing, place_of_data_key(arena, organization, FIRST_DATA_KEY),
                            (str){ (char *)made.bytes, KEY_BYTES }, &sealed);
    crypto_wipe(&made, sizeof(made));
    if (!done)
        return fail(arena, OVERLOADED);
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_int(&params, P_VERSION, FIRST_DATA_KEY);
    params_bytes(&params, P_SEALED, sealed);
    return tx_query(tx, SQL_AUTH_DATA_KEY_CREATE, &params, &rows, NULL);
}

/* The key that seals now. An organization gets its first one when it needs it. */
static error
data_key_of(struct auth *auth, struct tx *tx, id organization, int64_t *ret_version, struct key *ret_key)
{
    struct arena *arena = tx_arena(tx);
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_AUTH_DATA_KEY_NEWEST, &params, &rows, NULL));
    if (rows.count == 0) {
        TRY(auth_create_data_key(auth, tx, organization));
        TRY(tx_query(tx, SQL_AUTH_DATA_KEY_NEWEST, &params, &rows, NULL));
    }
    /* Another transaction made it at the same moment and this one cannot see it yet. */
    if (rows.count == 0)
        return fail(arena, CONCURRENT_CHANGE, V("the organization's data key"));
    *ret_version = rows_int(&rows, 0, C_VERSION);
    if (!credential_open_data_key(arena, &auth->data_key_sealing, organization, *ret_version,
                                  rows_bytes(arena, &rows, 0, C_SEALED), ret_key))
        return fail(arena, INTERNAL_ERROR);
    return OK;
}

/* ---- Service accounts ---- */

error
auth_create_secret(struct auth *auth, struct tx *tx, id organization, id account, int64_t expires_at_ms,
                   struct new_secret *ret)
{
    struct arena *arena = tx_arena(tx);
    struct new_secret made = { .id = id_new(store_cell(auth->store)), .secret = secret_new(arena, "sk") };
    if (made.secret.len == 0)
        return fail(arena, OVERLOADED);
    made.mask = mask_of(arena, "sk", made.secret);
    uint8_t mac[SHA256_BYTES];
    credential_secret_mac(&auth->pepper, made.secret, mac);
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_ACCOUNT, account);
    params_id(&params, P_ID, made.id);
    params_bytes(&params, P_MAC, (str){ (char *)mac, sizeof(mac) });
    params_int(&params, P_PEPPER_VERSION, PEPPER_VERSION);
    params_text(&params, P_MASK, made.mask);
    params_int(&params, P_EXPIRES_AT_MS, expires_at_ms);
    TRY(tx_query(tx, SQL_AUTH_SECRET_CREATE, &params, &rows, NULL));
    if (rows.count == 0)
        return fail(arena, RESOURCE_NOT_FOUND, V(credential_client_id(arena, account)));
    *ret = made;
    return OK;
}

error
auth_create_service_account(struct auth *auth, struct tx *tx, id organization, str name, str description,
                            int64_t secret_expires_at_ms, struct new_service_account *ret)
{
    struct arena *arena = tx_arena(tx);
    id account = id_new(store_cell(auth->store));
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_ACCOUNT, account);
    params_text(&params, P_NAME, name);
    params_text(&params, P_DESCRIPTION, description);
    TRY(tx_query(tx, SQL_AUTH_SERVICE_ACCOUNT_CREATE, &params, &rows, NULL));
    struct new_secret secret;
    TRY(auth_create_secret(auth, tx, organization, account, secret_expires_at_ms, &secret));
    TRY(authority_changed(tx, "principal", account));
    *ret = (struct new_service_account){
        .id = account,
        .client_id = credential_client_id(arena, account),
        .secret_id = secret.id,
        .secret = secret.secret,
    };
    return OK;
}

/* ---- API keys ---- */

static error
seal_ha1(struct auth *auth, struct tx *tx, id organization, const struct new_api_key *made, str *ret_md5,
         str *ret_sha256)
{
    struct arena *arena = tx_arena(tx);
    char md5_hex[DIGEST_HEX_MAX], sha256_hex[DIGEST_HEX_MAX];
    struct key data_key;
    int64_t version = 0;
    TRY(data_key_of(auth, tx, organization, &version, &data_key));
    digest_a1(arena, DIGEST_MD5, made->public_key, STR(DIGEST_REALM), made->private_key, md5_hex);
    digest_a1(arena, DIGEST_SHA256, made->public_key, STR(DIGEST_REALM), made->private_key, sha256_hex);
    bool done =
        seal(arena, &data_key, version, made->id, "ha1_md5", (str){ md5_hex, 2 * MD5_BYTES }, ret_md5) &&
        seal(arena, &data_key, version, made->id, "ha1_sha256", (str){ sha256_hex, 2 * SHA256_BYTES }, ret_sha256);
    crypto_wipe(md5_hex, sizeof(md5_hex));
    crypto_wipe(sha256_hex, sizeof(sha256_hex));
    crypto_wipe(&data_key, sizeof(data_key));
    return done ? OK : fail(arena, OVERLOADED);
}

error
auth_create_api_key(struct auth *auth, struct tx *tx, id organization, str description, struct new_api_key *ret)
{
    struct arena *arena = tx_arena(tx);
    struct new_api_key made = {
        .id = id_new(store_cell(auth->store)),
        .public_key = new_public_key(arena),
        .private_key = secret_new(arena, "pk"),
    };
    if (made.public_key.len == 0 || made.private_key.len == 0)
        return fail(arena, OVERLOADED);
    str md5, sha256;
    TRY(seal_ha1(auth, tx, organization, &made, &md5, &sha256));
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_ID, made.id);
    params_text(&params, P_PUBLIC_KEY, made.public_key);
    params_text(&params, P_DESCRIPTION, description);
    params_text(&params, P_MASK, mask_of(arena, "pk", made.private_key));
    params_bytes(&params, P_HA1_MD5, md5);
    params_bytes(&params, P_HA1_SHA256, sha256);
    TRY(tx_query(tx, SQL_AUTH_API_KEY_CREATE, &params, &rows, &violation));
    /* One in 36^8 for each key there is; the client repeats the request and gets another one. */
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(arena, CONCURRENT_CHANGE, V("the API keys"));
    if (violation.kind != VIOLATION_NONE)
        return fail(arena, INTERNAL_ERROR);
    TRY(authority_changed(tx, "principal", made.id));
    *ret = made;
    return OK;
}

/* ---- First passkeys ---- */

void
auth_enrolment_mac(struct auth *auth, str token, uint8_t ret_mac[SHA256_BYTES])
{
    credential_secret_mac(&auth->session_pepper, token, ret_mac);
}

/* ---- Invitations ---- */

/* The pepper is that of client secrets: a token begins with another word, so no MAC of one is ever that of the other. */
void
auth_invitation_mac(struct auth *auth, str token, uint8_t ret_mac[SHA256_BYTES])
{
    credential_secret_mac(&auth->pepper, token, ret_mac);
}

str
auth_new_invitation_token(struct auth *auth, struct arena *arena, uint8_t ret_mac[SHA256_BYTES])
{
    str token = secret_new(arena, "inv");
    if (token.len > 0)
        auth_invitation_mac(auth, token, ret_mac);
    return token;
}
