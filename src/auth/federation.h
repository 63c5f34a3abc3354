/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People who call with a token of their organization's identity provider. Such a token counts in the organizations that use the
 * provider, and nowhere else: the principal that comes out is confined to them. The provider's keys are in the database, where
 * a worker puts them; nothing is fetched here.
 */
#ifndef AUTH_FEDERATION_H
#define AUTH_FEDERATION_H

#include "auth/auth.h"

struct federation_memory; /* which tokens were seen lately, and what they open */

MUST_USE struct federation_memory *federation_memory_new(void);
void federation_memory_free(struct federation_memory *memory);
/* Something about providers, who uses them or what groups are mapped to has changed: all tokens are looked at again. */
void federation_memory_forget(struct federation_memory *memory);

/* Whether the text is a token of this kind at all. */
bool federation_is_token(str text);
MUST_USE error federation_authenticate(struct auth *auth, struct arena *arena, const struct credentials *credentials,
                                       str text, bool may_block, bool fresh, const struct principal **ret_principal);

#endif
