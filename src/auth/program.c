/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/program.h"

#include "auth/internal.h"
#include "auth/provider.h"
#include "base/clock.h"
#include "base/json.h"
#include "store/federation/federation.h"

/* Whom the token names where the provider's settings say. */
static bool
names(const struct provider *provider, const struct jwt *jwt)
{
    str claim = provider_setting(provider, "userClaim"), subject = provider_setting(provider, "subject");
    const json_t *named = claim.len == 0 ? NULL : json_object_get(jwt->claims, claim.data);
    return subject.len > 0 && json_is_string(named) && str_eq(json_str(named), subject);
}

error
program_is_trusted(struct auth *auth, struct arena *arena, id account, str token, bool *ret_is_trusted)
{
    struct jwt jwt;
    const json_t *rows;
    const char *why;
    *ret_is_trusted = false;
    TRY(store_federation_trusted(auth->store, arena, account, &rows));
    if (!jwt_parse(arena, token, &jwt, &why) || jwt_check_times(&jwt, clock_now_ms() / 1000) != NULL)
        return OK;
    str issuer = json_str(json_object_get(jwt.claims, "iss"));
    for (size_t i = 0; i < json_array_size(rows) && !*ret_is_trusted; i++) {
        struct provider provider;
        if (!provider_read(json_array_get(rows, i), &provider) ||
            !str_eq(issuer, provider_setting(&provider, "issuer")) || !names(&provider, &jwt))
            continue;
        TRY(provider_judge(auth, arena, &provider, &jwt, &why));
        *ret_is_trusted = why == NULL;
    }
    return OK;
}
