/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/provider.h"

#include "auth/internal.h"
#include "base/json.h"
#include "store/federation/federation.h"

enum { KEYS_AGAIN_AFTER_S = 10 }; /* so often at most a token with an unknown key has them fetched */

bool
provider_read(const json_t *row, struct provider *ret_provider)
{
    ret_provider->row = row;
    return id_parse(json_str(json_object_get(row, "id")), &ret_provider->id) &&
           id_parse(json_str(json_object_get(row, "member")), &ret_provider->member);
}

str
provider_setting(const struct provider *provider, const char *name)
{
    return json_str(json_object_get(provider->row, name));
}

/* NULL, or why the token is none for whoever shows it to us. */
static const char *
judge_client(const struct provider *provider, const struct jwt *jwt)
{
    str client = provider_setting(provider, "clientId");
    bool is_good = client.len == 0 || str_eq(json_str(json_object_get(jwt->claims, "azp")), client) ||
                   str_eq(json_str(json_object_get(jwt->claims, "client_id")), client);
    return is_good ? NULL : "the token was issued to another client";
}

error
provider_check_signature(struct auth *auth, struct arena *arena, const struct provider *provider, const struct jwt *jwt,
                         const char **ret_why)
{
    struct jwk keys[JWK_MAX];
    size_t count = jwk_read(arena, json_object_get(provider->row, "keys"), keys);
    const struct jwk *key = jwk_find(keys, count, jwt);
    *ret_why = "the key that signed the token is not known yet; it is being fetched from the provider";
    if (key == NULL)
        return store_federation_want_keys(auth->store, arena, provider->member, provider->id, KEYS_AGAIN_AFTER_S);
    *ret_why = jwt_is_signed_by(jwt, key) ? NULL : "the signature of the token is wrong";
    return OK;
}

error
provider_judge(struct auth *auth, struct arena *arena, const struct provider *provider, const struct jwt *jwt,
               const char **ret_why)
{
    *ret_why = "the token is meant for another audience";
    if (!jwt_is_for(jwt, provider_setting(provider, "audience")))
        return OK;
    TRY(provider_check_signature(auth, arena, provider, jwt, ret_why));
    if (*ret_why == NULL)
        *ret_why = judge_client(provider, jwt);
    return OK;
}
