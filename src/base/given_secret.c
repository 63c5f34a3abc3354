/* SPDX-License-Identifier: Apache-2.0 */
#include "base/given_secret.h"

#include "base/json.h"

enum { MASK_LAST = 4, MASK_FROM = 12 };

str
given_secret_place(struct arena *arena, const char *kind, id resource)
{
    return str_format(arena, "%s/%s/secrets", kind, id_text(arena, resource).data);
}

str
given_secret_mask(struct arena *arena, str secret)
{
    if (secret.len < MASK_FROM)
        return STR("********");
    for (size_t i = secret.len - MASK_LAST; i < secret.len; i++) {
        if (secret.data[i] <= ' ' || secret.data[i] > '~') /* not in the middle of a character */
            return STR("********");
    }
    return str_format(arena, "****%.*s", MASK_LAST, secret.data + secret.len - MASK_LAST);
}

bool
given_secret_is_mask(str text)
{
    return str_starts_with(text, STR("****"));
}

str
given_secret_seal(struct arena *arena, const struct key *key, str place, const json_t *secrets)
{
    str sealed;
    if (!crypto_seal(arena, key, place, json_text(arena, secrets), &sealed))
        return STR_EMPTY;
    return str_base64(arena, sealed.data, sealed.len);
}

json_t *
given_secret_open(struct arena *arena, const struct key *key, str place, str sealed)
{
    str bytes, plain;
    if (!str_from_base64(arena, sealed, &bytes) || !crypto_open(arena, key, place, bytes, &plain))
        return NULL;
    return json_parse_own(arena, plain);
}
