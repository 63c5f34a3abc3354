/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of tunnels, as WireGuard writes them: X25519, in base64. */
#ifndef BASE_CRYPTO_TUNNEL_KEY_H
#define BASE_CRYPTO_TUNNEL_KEY_H

#include <stdbool.h>

#include "base/str.h"

/* A private one; false when it could not be made. */
MUST_USE bool tunnel_key_new(struct arena *arena, str *ret_private);
/* The public one that belongs to it; false when it is none. */
MUST_USE bool tunnel_key_public(struct arena *arena, str private_key, str *ret_public);
/* Whether a text is a public key that a tunnel can be made with. */
bool tunnel_key_is_public(struct arena *arena, str text);

#endif
