/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People who call with a token of their organization's identity provider. Such a token counts only in the organizations
 * that use the provider, and the resulting principal is confined to them. A worker stores the provider's keys in the
 * database; nothing is fetched here.
 */
#ifndef AUTH_FEDERATION_H
#define AUTH_FEDERATION_H

#include "auth/auth.h"

struct federation_memory; /* tokens that were seen lately, and the organizations in which they count */

MUST_USE struct federation_memory *federation_memory_new(void);
void federation_memory_free(struct federation_memory *memory);
/* Providers, their use or role mappings have changed: all tokens are checked again. */
void federation_memory_forget(struct federation_memory *memory);

/* Whether the text is a token of this kind at all. */
bool federation_is_token(str text);
MUST_USE error federation_authenticate(struct auth *auth, struct arena *arena, const struct credentials *credentials,
                                       str text, bool may_block, bool fresh, const struct principal **ret_principal);

#endif
