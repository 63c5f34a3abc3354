/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of identity providers, before anybody has looked at their signature. */
#include "fuzz.h"

#include "auth/jwt.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(4 << 20);
    struct jwk keys[JWK_MAX];
    struct jwt jwt;
    const char *why = NULL;
    if (jwt_parse(arena, input(data, size), &jwt, &why)) {
        MUST(json_is_object(jwt.claims) && jwt.signature.len > 0 && jwt.signed_of.len < size);
        MUST(jwt.algorithm == JWT_RS256 || jwt.algorithm == JWT_ES256);
        const char *refusal = jwt_check_times(&jwt, 0);
        MUST(refusal == NULL || refusal[0] != '\0');
        jwt_is_for(&jwt, STR("audience"));
        /* A JWKS is whatever a server answers; here it is what the claims say. */
        size_t count = jwk_read(arena, json_object_get(jwt.claims, "keys"), keys);
        const struct jwk *key = jwk_find(keys, count, &jwt);
        MUST(count <= JWK_MAX && (key == NULL || key->algorithm == jwt.algorithm));
    } else {
        MUST(why != NULL);
    }
    arena_free(arena);
    return 0;
}
