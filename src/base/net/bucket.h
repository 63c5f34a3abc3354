/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes files to a bucket of a store that speaks S3, at addresses that were judged before (base/net/egress.h): no names are looked up, no redirects, no proxy,
 * https only. A store that is away is tried again for a while; one that refuses is not. Large files go in parts.
 */
#ifndef BASE_NET_BUCKET_H
#define BASE_NET_BUCKET_H

#include "base/crypto/s3_signature.h"
#include "base/net/net.h"

struct bucket;

struct bucket_place {
    str service_url; /* "https://objects.example.org:9000"; the bucket is a folder of it */
    str name;
    struct s3_keys keys;
    const char *authority_file; /* NULL: the system's */
    size_t address_count;
    const struct net_address *addresses; /* that the name of the url may lead to */
    int64_t patience_ms;                 /* how long a store that is away is tried again */
};

enum bucket_outcome {
    BUCKET_FINE,
    BUCKET_REFUSED, /* the store does not want it: trying again is of no use */
    BUCKET_AWAY,    /* it did not answer, or not in order, for as long as patience lasts */
};

/* What is named is used for as long as the bucket is. NULL without memory, or when the url is none. */
MUST_USE struct bucket *bucket_open(const struct bucket_place *place);
void bucket_close(struct bucket *bucket); /* NULL is allowed */
void bucket_cleanup(struct bucket **bucket);

/* An open file whose checksum, in hexadecimal, is known. */
struct bucket_file {
    int file;
    int64_t bytes;
    str sha256;
};
/* Whether the object is there already, and is this file: by its size, and the checksum that was written with it. */
bool bucket_has(struct bucket *bucket, struct arena *arena, str key, const struct bucket_file *file);
/* `ret_why` is a sentence when it is not fine. It has nothing of the answer but its status and one word. */
MUST_USE enum bucket_outcome bucket_put(struct bucket *bucket, struct arena *arena, str key,
                                        const struct bucket_file *file, str *ret_why);
MUST_USE enum bucket_outcome bucket_put_text(struct bucket *bucket, struct arena *arena, str key, str text,
                                             str *ret_why);

#endif
