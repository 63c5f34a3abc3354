/* SPDX-License-Identifier: Apache-2.0 */
#include "operator/store_recover.h"

#include <stdlib.h>

enum { REQUEST_MS = 60 * 1000, ARENA_BYTES = 1024 * 1024 * 1024, SMALL_BYTES = 256 * 1024 };

struct recover {
    struct arena *answers; /* the caller's */
    struct arena *arena;   /* of the whole list */
    const struct object_store *store;
    struct bucket *bucket;
    struct store_recovery *recovery;
    size_t count, room;
    struct bucket_version *versions;
};

#define REMEDY "Run the command again: what is back stays back"

/* ---- The list ---- */
static error
add_page(struct recover *recover, const struct bucket_versions *page)
{
    if (recover->count + page->count > recover->room) {
        size_t room = 2 * (recover->count + page->count);
        struct bucket_version *more = ARENA_ARRAY(recover->arena, struct bucket_version, room);
        if (more == NULL)
            return fail(recover->answers, OVERLOADED);
        if (recover->count > 0)
            memcpy(more, recover->versions, recover->count * sizeof(*more));
        recover->versions = more;
        recover->room = room;
    }
    memcpy(recover->versions + recover->count, page->items, page->count * sizeof(*page->items));
    recover->count += page->count;
    return OK;
}

static error
list_all(struct recover *recover)
{
    struct bucket_versions page = { .count = 0 };
    str prefix = store_prefix(recover->arena, recover->store), why;
    do {
        struct bucket_versions after = page;
        if (bucket_list_versions(recover->bucket, recover->arena, prefix, &after, &page, &why) != BUCKET_FINE)
            return store_unusable(recover->answers, recover->store, why,
                                  "The key needs the right to list versions (s3:ListBucketVersions)");
        TRY(add_page(recover, &page));
    } while (page.next_key.len > 0);
    return OK;
}

/* By key, and of a key the newest first; of one moment the latest. */
static int
compare(const void *a, const void *b)
{
    const struct bucket_version *one = a, *other = b;
    int order = str_compare(one->key, other->key);
    if (order != 0)
        return order;
    if (one->is_latest != other->is_latest)
        return one->is_latest ? -1 : 1;
    return one->at_ms == other->at_ms ? 0 : one->at_ms > other->at_ms ? -1 : 1;
}

/* ---- One object ---- */
struct store_remedy
store_remedy_of(const struct bucket_version *versions, size_t count, int64_t since_ms)
{
    struct store_remedy remedy = { .then = NULL };
    for (size_t i = 0; i < count && remedy.then == NULL; i++) {
        if (versions[i].at_ms < since_ms)
            remedy.then = &versions[i];
        else if (versions[i].is_marker)
            remedy.is_deleted = true;
        else
            remedy.is_overwritten = true;
    }
    if (remedy.then == NULL || remedy.then->is_marker) /* there was nothing then */
        return (struct store_remedy){ .then = NULL };
    if (remedy.then->etag.len > 0 && str_eq(versions[0].etag, remedy.then->etag)) /* it is back already */
        return (struct store_remedy){ .then = remedy.then };
    return remedy;
}

/* A copy lies above everything. Where nothing was written, what lies above is taken away, and nothing is stored twice. */
static enum bucket_outcome
heal(struct recover *recover, struct arena *arena, const struct bucket_version *versions,
     const struct store_remedy *remedy, str *ret_why)
{
    if (remedy->is_overwritten)
        return bucket_bring_back(recover->bucket, arena, remedy->then, ret_why);
    for (const struct bucket_version *marker = versions; marker < remedy->then; marker++) {
        enum bucket_outcome outcome = bucket_delete_version(recover->bucket, arena, marker, ret_why);
        if (outcome != BUCKET_FINE)
            return outcome;
    }
    return BUCKET_FINE;
}

static error
look_at(struct recover *recover, const struct bucket_version *versions, size_t count)
{
    struct store_recovery *recovery = recover->recovery;
    struct store_remedy remedy = store_remedy_of(versions, count, recovery->since_ms);
    str why;
    recovery->objects += remedy.then != NULL;
    if (!remedy.is_deleted && !remedy.is_overwritten)
        return OK;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(SMALL_BYTES);
    if (arena == NULL)
        return fail(recover->answers, OVERLOADED);
    if (!recovery->is_dry && heal(recover, arena, versions, &remedy, &why) != BUCKET_FINE)
        return store_unusable(recover->answers, recover->store, why, REMEDY);
    recovery->overwritten += remedy.is_overwritten;
    recovery->deleted += !remedy.is_overwritten;
    return OK;
}

static error
look_at_all(struct recover *recover)
{
    for (size_t from = 0, to; from < recover->count; from = to) {
        for (to = from + 1; to < recover->count && str_eq(recover->versions[to].key, recover->versions[from].key); to++)
            ;
        TRY(look_at(recover, recover->versions + from, to - from));
    }
    return OK;
}

error
store_recover(struct arena *arena, const struct object_store *store, str key, str secret_key,
              struct store_recovery *recovery)
{
    struct store_bucket opened CLEANUP(store_bucket_cleanup) = { .bucket = NULL };
    struct arena *list CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    if (list == NULL)
        return fail(arena, OVERLOADED);
    TRY(store_bucket_open(arena, store, key, secret_key, REQUEST_MS, &opened));
    struct recover recover = {
        .answers = arena, .arena = list, .store = store, .bucket = opened.bucket, .recovery = recovery
    };
    TRY(list_all(&recover));
    if (recover.count == 0)
        return OK;
    qsort(recover.versions, recover.count, sizeof(*recover.versions), compare);
    return look_at_all(&recover);
}
