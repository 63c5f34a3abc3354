/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/invitation_token.h"

static str
place_of(struct arena *arena, id invitation)
{
    return str_format(arena, "invitation/%s/sealed_token", id_text(arena, invitation).data);
}

bool
invitation_token_seal(struct arena *arena, const struct key *key, id invitation, str token, str *ret_sealed)
{
    return crypto_seal(arena, key, place_of(arena, invitation), token, ret_sealed);
}

bool
invitation_token_open(struct arena *arena, const struct key *key, id invitation, str sealed, str *ret_token)
{
    return crypto_open(arena, key, place_of(arena, invitation), sealed, ret_token);
}
