/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of requests to stores that speak S3: AWS Signature Version 4, of which a request needs the headers that are named here and no others. */
#ifndef BASE_CRYPTO_S3_SIGNATURE_H
#define BASE_CRYPTO_S3_SIGNATURE_H

#include "base/crypto/crypto.h"

struct s3_keys {
    str key, secret_key, region;
};
struct s3_request {
    const char *method;
    str host;        /* with its port, unless that is the usual one */
    str path, query; /* encoded; of the query the names in their order, each with a "=" */
    str body_sha256; /* in hexadecimal */
    str moment;      /* "20261117T081500Z" */
    str meta_sha256; /* the header x-amz-meta-sha256; empty: there is none */
    str copy_source; /* the header x-amz-copy-source, likewise */
};

/* The value of the header Authorization; empty when the arena is full. */
str s3_authorization(struct arena *arena, const struct s3_keys *keys, const struct s3_request *request);

/* "20261117T081500Z" */
str s3_moment(struct arena *arena, int64_t now_ms);
/* A path as it stands in a request: everything but letters, digits and "-._~/" is encoded. */
str s3_encode_path(struct arena *arena, str path);

#endif
