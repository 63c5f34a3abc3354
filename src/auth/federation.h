/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People who call with a token of their organization's identity provider. Such a token counts only in the organizations
 * that use the provider, and the resulting principal is confined to them. A worker stores the provider's keys in the
 * database; nothing is fetched here.
 */
#ifndef AUTH_FEDERATION_H
#define AUTH_FEDERATION_H

#include <jansson.h>

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

/* ---- Back from the provider's pages ---- */
struct federated_person {
    id person;
    str username;
    int64_t authenticated_at_s; /* when they last showed the provider who they are; -1: it does not say */
};
/*
 * The person whom an ID token names, if it answers our question (`nonce`) and the provider (`row`, as store_federation_provider() has it) stands for
 * them: the same rules as for tokens that they would call with, and their groups are written down alike. *ret_why is NULL, or half a sentence. Blocks.
 */
MUST_USE error federation_take_id_token(struct auth *auth, struct arena *arena, const struct net_address *client,
                                        const json_t *row, str text, str nonce, struct federated_person *ret_person,
                                        const char **ret_why);

/* The same for what a SAML provider stated: its signature and all that is only of this answer have been checked. */
struct federated_claim {
    str address;
    const json_t *groups; /* texts */
    int64_t issued_s, authenticated_at_s;
};
MUST_USE error federation_take_assertion(struct auth *auth, struct arena *arena, const struct net_address *client,
                                         const json_t *row, const struct federated_claim *claim,
                                         struct federated_person *ret_person, const char **ret_why);

#endif
