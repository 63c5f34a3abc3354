/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/directory_password.h"

static str
place_of(struct arena *arena, id resource)
{
    return str_format(arena, "resource/%s/bindPassword", id_text(arena, resource).data);
}

str
directory_password_seal(struct arena *arena, const struct key *key, id resource, str password)
{
    str sealed;
    if (!crypto_seal(arena, key, place_of(arena, resource), password, &sealed))
        return STR_EMPTY;
    return str_base64(arena, sealed.data, sealed.len);
}

bool
directory_password_open(struct arena *arena, const struct key *key, id resource, str sealed, str *ret_password)
{
    str bytes;
    return str_from_base64(arena, sealed, &bytes) &&
           crypto_open(arena, key, place_of(arena, resource), bytes, ret_password);
}
