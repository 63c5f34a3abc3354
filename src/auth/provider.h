/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider of OpenID Connect says about a token, whomever it names: people (federation.c) or programs (program.c). */
#ifndef AUTH_PROVIDER_H
#define AUTH_PROVIDER_H

#include "auth/auth.h"
#include "auth/jwt.h"

struct provider {
    id id;
    id member; /* an organization of its federation, which may change it */
    const json_t *row;
};

/* False when the row is not as store_federation_issuer() and its like have them. */
MUST_USE bool provider_read(const json_t *row, struct provider *ret_provider);
str provider_setting(const struct provider *provider, const char *name);

/* Whether a key of the provider signed it; *ret_why is NULL when one did, else half a sentence. A key that is not known has the keys fetched. */
MUST_USE error provider_check_signature(struct auth *auth, struct arena *arena, const struct provider *provider,
                                        const struct jwt *jwt, const char **ret_why);
/* Whether it is the provider's, and meant for us. Its times and its issuer have been checked. */
MUST_USE error provider_judge(struct auth *auth, struct arena *arena, const struct provider *provider,
                              const struct jwt *jwt, const char **ret_why);

#endif
