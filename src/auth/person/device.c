/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/person/device.h"

#define PREFIX "reeve_dc_"
/* Expiry 4, random 16, address 16, host, MAC 32 over these. */
enum {
    RANDOM_AT = 4,
    ADDRESS_AT = 20,
    HOST_AT = 36,
    PREFIX_LENGTH = sizeof(PREFIX) - 1,
    BYTES_MAX = HOST_AT + DEVICE_HOST_MAX + SHA256_BYTES
};
/* No vowels, so that no words come of it (RFC 8628 section 6.1). */
static const char letters[] = "BCDFGHJKLMNPQRSTVWXZ";
enum { LETTERS = sizeof(letters) - 1, IN_A_GROUP = 4 };

/* One key, two purposes: the first byte keeps them apart. */
static void
make_mac(const struct key *key, char purpose, const uint8_t *bytes, size_t count, uint8_t ret_mac[SHA256_BYTES])
{
    uint8_t over[1 + BYTES_MAX] = { (uint8_t)purpose };
    memcpy(over + 1, bytes, count);
    crypto_hmac_sha256(key, (str){ (const char *)over, 1 + count }, ret_mac);
}

static void
make_user_code(const struct key *key, const uint8_t *bytes, size_t count, char ret_code[DEVICE_USER_CODE_LETTERS + 1])
{
    uint8_t mac[SHA256_BYTES];
    uint64_t number = 0;
    make_mac(key, 'u', bytes, count, mac);
    for (int i = 0; i < 8; i++)
        number = number << 8 | mac[i];
    for (int i = 0; i < DEVICE_USER_CODE_LETTERS; i++, number /= LETTERS)
        ret_code[i] = letters[number % LETTERS];
    ret_code[DEVICE_USER_CODE_LETTERS] = '\0';
}

bool
device_host_is_good(str host)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.data[i];
        bool is_good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                       c == '-' || c == '_';
        if (!is_good)
            return false;
    }
    return host.len > 0 && host.len <= DEVICE_HOST_MAX;
}

str
device_code_new(struct arena *arena, const struct key *key, int64_t now_s, const struct net_address *address, str host)
{
    uint8_t bytes[BYTES_MAX];
    uint32_t expires_s = (uint32_t)(now_s + DEVICE_LIFETIME_S);
    size_t count = HOST_AT + host.len;
    if (!device_host_is_good(host))
        return STR_EMPTY;
    for (int i = 0; i < RANDOM_AT; i++)
        bytes[i] = (uint8_t)(expires_s >> (24 - 8 * i));
    crypto_random(bytes + RANDOM_AT, ADDRESS_AT - RANDOM_AT);
    memcpy(bytes + ADDRESS_AT, address->bytes, sizeof(address->bytes));
    memcpy(bytes + HOST_AT, host.data, host.len);
    make_mac(key, 'd', bytes, count, bytes + count);
    str text = str_base64url(arena, bytes, count + SHA256_BYTES);
    return text.len == 0 ? STR_EMPTY : str_format(arena, PREFIX "%.*s", STR_ARG(text));
}

enum device_state
device_code_read(struct arena *arena, const struct key *key, int64_t now_s, str code, struct device *ret_device)
{
    uint8_t bytes[BYTES_MAX], mac[SHA256_BYTES];
    if (!str_starts_with(code, STR(PREFIX)))
        return DEVICE_FOREIGN;
    str text = str_slice(code, PREFIX_LENGTH, code.len);
    size_t count = text.len * 3 / 4;
    if (count <= HOST_AT + SHA256_BYTES || count > BYTES_MAX || !str_from_base64url(text, bytes, count))
        return DEVICE_FOREIGN;
    count -= SHA256_BYTES;
    make_mac(key, 'd', bytes, count, mac);
    if (!crypto_equal(mac, bytes + count, SHA256_BYTES))
        return DEVICE_FOREIGN;
    struct device found = { .host = str_dup(arena, (str){ (const char *)bytes + HOST_AT, count - HOST_AT }) };
    for (int i = 0; i < RANDOM_AT; i++)
        found.expires_at_s = found.expires_at_s << 8 | bytes[i];
    memcpy(found.address.bytes, bytes + ADDRESS_AT, sizeof(found.address.bytes));
    crypto_sha256(code, found.hash);
    make_user_code(key, bytes, count, found.user_code);
    *ret_device = found;
    int64_t left_s = found.expires_at_s - now_s;
    return left_s > 0 && left_s <= DEVICE_LIFETIME_S ? DEVICE_GOOD : DEVICE_EXPIRED;
}

bool
device_user_code_read(str typed, char ret_code[DEVICE_USER_CODE_LETTERS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < typed.len; i++) {
        char c = typed.data[i] >= 'a' && typed.data[i] <= 'z' ? (char)(typed.data[i] - 'a' + 'A') : typed.data[i];
        if (c == '-' || c == ' ')
            continue;
        if (count == DEVICE_USER_CODE_LETTERS || c == '\0' || strchr(letters, c) == NULL)
            return false;
        ret_code[count++] = c;
    }
    ret_code[count] = '\0';
    return count == DEVICE_USER_CODE_LETTERS;
}

str
device_user_code_text(struct arena *arena, const char *code)
{
    return str_format(arena, "%.*s-%s", IN_A_GROUP, code, code + IN_A_GROUP);
}
