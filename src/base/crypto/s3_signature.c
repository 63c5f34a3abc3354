/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/s3_signature.h"

#include <time.h>

enum { CANONICAL_BYTES = 16 * 1024, DAY_CHARS = 8 };

#define ALGORITHM "AWS4-HMAC-SHA256"

static str
mac(struct arena *arena, str key, str text)
{
    uint8_t digest[SHA256_BYTES];
    crypto_hmac_sha256_text(key, text, digest);
    str copy = str_dup(arena, (str){ (const char *)digest, sizeof(digest) });
    crypto_wipe(digest, sizeof(digest));
    return copy;
}

static str
hash(struct arena *arena, str text)
{
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(text, digest);
    return str_hex(arena, digest, sizeof(digest));
}

/* A key for one day, one region and one service: so a signature that somebody reads opens nothing else. */
static str
signing_key(struct arena *arena, const struct s3_keys *keys, str day)
{
    str first = str_format(arena, "AWS4%.*s", STR_ARG(keys->secret_key));
    str of_day = mac(arena, first, day), of_region = mac(arena, of_day, keys->region);
    return mac(arena, mac(arena, of_region, STR("s3")), STR("aws4_request"));
}

/* All of them, in their order. */
static str
signed_headers(struct arena *arena, const struct s3_request *request)
{
    return str_format(arena, "host;x-amz-content-sha256%s;x-amz-date%s",
                      request->copy_source.len > 0 ? ";x-amz-copy-source" : "",
                      request->meta_sha256.len > 0 ? ";x-amz-meta-sha256" : "");
}

static str
canonical(struct arena *arena, const struct s3_request *request)
{
    struct buf out = buf_in(arena, CANONICAL_BYTES);
    buf_format(&out, "%s\n%.*s\n%.*s\nhost:%.*s\nx-amz-content-sha256:%.*s\n", request->method, STR_ARG(request->path),
               STR_ARG(request->query), STR_ARG(request->host), STR_ARG(request->body_sha256));
    if (request->copy_source.len > 0)
        buf_format(&out, "x-amz-copy-source:%.*s\n", STR_ARG(request->copy_source));
    buf_format(&out, "x-amz-date:%.*s\n", STR_ARG(request->moment));
    if (request->meta_sha256.len > 0)
        buf_format(&out, "x-amz-meta-sha256:%.*s\n", STR_ARG(request->meta_sha256));
    buf_format(&out, "\n%s\n%.*s", signed_headers(arena, request).data, STR_ARG(request->body_sha256));
    return buf_str(&out);
}

str
s3_authorization(struct arena *arena, const struct s3_keys *keys, const struct s3_request *request)
{
    str day = str_slice(request->moment, 0, DAY_CHARS), text = canonical(arena, request);
    str scope = str_format(arena, "%.*s/%.*s/s3/aws4_request", STR_ARG(day), STR_ARG(keys->region));
    str to_sign =
        str_format(arena, ALGORITHM "\n%.*s\n%s\n%s", STR_ARG(request->moment), scope.data, hash(arena, text).data);
    if (text.len == 0 || to_sign.len == 0)
        return STR_EMPTY;
    str signature = mac(arena, signing_key(arena, keys, day), to_sign);
    return str_format(arena, ALGORITHM " Credential=%.*s/%s, SignedHeaders=%s, Signature=%s", STR_ARG(keys->key),
                      scope.data, signed_headers(arena, request).data,
                      str_hex(arena, signature.data, signature.len).data);
}

str
s3_moment(struct arena *arena, int64_t now_ms)
{
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm parts;
    char text[32];
    if (gmtime_r(&seconds, &parts) == NULL || strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &parts) == 0)
        return STR_EMPTY;
    return str_dup(arena, str_from(text));
}

str
s3_encode_path(struct arena *arena, str path)
{
    struct buf out = buf_in(arena, path.len * 3 + 1);
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                        (c != '\0' && strchr("-._~/", c) != NULL);
        buf_format(&out, is_plain ? "%c" : "%%%02X", c);
    }
    return buf_str(&out);
}
