/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/role_keys.h"

#include "base/crypto/backup_secret.h"
#include "base/json.h"

bool
role_keys_open(struct arena *arena, const struct key *backup_key, str owner, str both, struct role_keys *ret_keys)
{
    str sealed, text, authority, hex = str_cut(&both, ':');
    if (!str_bytes_from_hex(arena, hex, &sealed) || !str_bytes_from_hex(arena, both, &authority) ||
        !object_store_keys_open(arena, backup_key, owner, sealed, &text))
        return false;
    const json_t *document = json_parse_own(arena, text);
    *ret_keys = (struct role_keys){ json_str(json_object_get(document, "key")),
                                    json_str(json_object_get(document, "secretKey")), authority };
    return ret_keys->key.len > 0 && ret_keys->secret_key.len > 0;
}
