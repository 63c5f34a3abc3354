/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/snapshot_id.h"

#include "base/crypto/crypto.h"

id
snapshot_id_scheduled(struct arena *arena, str secret, str stanza, int64_t due_ms, str items)
{
    uint8_t mac[SHA256_BYTES];
    /* The rules belong to it: a seat that was away takes one for all that it has missed, and that is kept longer than another's. */
    str what = str_format(arena, "snapshot %.*s %lld %.*s", STR_ARG(stanza), (long long)due_ms, STR_ARG(items));
    crypto_hmac_sha256_text(secret, what, mac);
    return id_from(0, due_ms, mac);
}
