/* SPDX-License-Identifier: Apache-2.0 */
/* The Authorization header: its scheme, and what each scheme makes of the rest. */
#include "fuzz.h"

#include "auth/authorization.h"
#include "auth/digest.h"
#include "auth/token.h"

static void
try_digest(struct arena *arena, str parameters)
{
    struct digest_header header;
    struct key key = { { 1 } };
    char hex[DIGEST_HEX_MAX] = { 0 }, a1[DIGEST_HEX_MAX] = { 0 };
    if (!digest_parse(arena, parameters, &header))
        return;
    MUST(header.nc.len == 8);
    digest_a1(arena, header.algorithm, header.username, header.realm, STR("secret"), a1);
    digest_response(arena, &header, STR("GET"), a1, hex);
    for (size_t i = 0; i < digest_hex_length(header.algorithm); i++)
        MUST((hex[i] >= '0' && hex[i] <= '9') || (hex[i] >= 'a' && hex[i] <= 'f'));
    MUST(digest_nonce_check(&key, header.nonce, 1700000000) == NONCE_FOREIGN); /* nobody guesses a MAC */
}

static void
try_token(str text)
{
    struct token token;
    struct key key = { { 1 } };
    if (token_parse(text, &token))
        MUST(!token_is_signed_by(&token, &key));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(4 << 20);
    str header = input(data, size), name, secret;
    struct authorization authorization;
    if (authorization_parse(header, &authorization)) {
        MUST(authorization.scheme.len > 0 && authorization.scheme.len + authorization.rest.len <= header.len);
        if (authorization_parse_basic(arena, authorization.rest, &name, &secret))
            MUST(name.len + secret.len <= size);
        try_digest(arena, authorization.rest);
        try_token(authorization.rest);
    }
    /* Also without a scheme in front: most inputs would never get behind it. */
    try_digest(arena, header);
    try_token(header);
    if (authorization_parse_basic(arena, header, &name, &secret))
        MUST(name.len + secret.len <= size);
    arena_free(arena);
    return 0;
}
