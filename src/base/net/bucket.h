/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes files to a bucket of a store that speaks S3, and tries out whether that can be done, at addresses that were judged before (base/net/egress.h): no names are looked up, no redirects, no proxy,
 * https only. A store that is away is tried again for a while; one that refuses is not. Large files go in parts.
 */
#ifndef BASE_NET_BUCKET_H
#define BASE_NET_BUCKET_H

#include "base/crypto/s3_signature.h"
#include "base/net/net.h"

#define BUCKET_NAME_PATTERN    "^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$"
#define BUCKET_FOLDERS_PATTERN "^([A-Za-z0-9_-][A-Za-z0-9._-]*/)*$" /* that names of objects begin with */

struct bucket;

struct bucket_place {
    str service_url; /* "https://objects.example.org:9000"; the bucket is a folder of it */
    str name;        /* empty: the url is the bucket's own, "https://bucket.objects.example.org" */
    str bucket;      /* always its name, for what is copied within it; only for versions */
    struct s3_keys keys;
    const char *authority_file; /* NULL: the system's */
    str authority;              /* PEM, in place of a file; may be empty */
    size_t address_count;
    const struct net_address *addresses; /* that the name of the url may lead to */
    int64_t patience_ms;                 /* how long a store that is away is tried again */
    int64_t limit_ms;                    /* of one request; 0: as long as something moves */
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

/* ---- One small object ---- */
/* At most 8 kB of it. */
MUST_USE enum bucket_outcome bucket_get_text(struct bucket *bucket, struct arena *arena, str key, str *ret_text,
                                             str *ret_why);
/* Whether the list of what begins with the key has it. */
MUST_USE enum bucket_outcome bucket_lists(struct bucket *bucket, struct arena *arena, str key, bool *ret_is_listed,
                                          str *ret_why);
MUST_USE enum bucket_outcome bucket_delete(struct bucket *bucket, struct arena *arena, str key, str *ret_why);

/* ---- What nobody can delete ---- */
struct bucket_lock {
    bool is_on; /* objects can be locked */
    bool
        is_compliance; /* the bucket locks by itself, and nobody can take that back, the owner of the account included */
    int64_t days;      /* for so long; 0: it does not lock by itself */
};
MUST_USE enum bucket_outcome bucket_look_at_lock(struct bucket *bucket, struct arena *arena,
                                                 struct bucket_lock *ret_lock, str *ret_why);

/* ---- Versions ---- */
/* Of a bucket that keeps them. A marker says that the object was deleted; what was there before stays. */
struct bucket_version {
    str key, id;
    str etag; /* of its content; empty of a marker */
    int64_t at_ms;
    bool is_latest, is_marker;
};
struct bucket_versions {
    size_t count;
    struct bucket_version *items;
    str next_key, next_id; /* both empty: that was all */
};
/* A page of what begins with the prefix, behind `after`. */
MUST_USE enum bucket_outcome bucket_list_versions(struct bucket *bucket, struct arena *arena, str prefix,
                                                  const struct bucket_versions *after, struct bucket_versions *ret_page,
                                                  str *ret_why);
/* Refused when it is locked. A marker never is: without it the object is there again. */
MUST_USE enum bucket_outcome bucket_delete_version(struct bucket *bucket, struct arena *arena,
                                                   const struct bucket_version *version, str *ret_why);
/* Makes an older version the latest. */
MUST_USE enum bucket_outcome bucket_bring_back(struct bucket *bucket, struct arena *arena,
                                               const struct bucket_version *version, str *ret_why);

#endif
