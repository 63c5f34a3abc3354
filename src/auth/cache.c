/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/cache.h"

#include <pthread.h>
#include <stdlib.h>

/* Enough that threads of one process hardly meet, few enough that walking through all is quick. */
enum { SHARD_COUNT = 64 };

struct node {
    id key;
    uint32_t next; /* in its bucket: index + 1, 0 ends the list */
    atomic_bool used;
    struct cached *value;
};

/* Nodes lie without holes in [0, count): the clock's hand needs nothing else. */
struct shard {
    pthread_rwlock_t lock;
    uint32_t *buckets;
    struct node *nodes;
    uint32_t bucket_mask, cap, count, hand, age_hand;
};

struct cache {
    struct shard shards[SHARD_COUNT];
};

static bool
shard_init(struct shard *shard, uint32_t cap)
{
    uint32_t buckets = 1;
    while (buckets < cap)
        buckets *= 2;
    shard->buckets = calloc(buckets, sizeof(*shard->buckets));
    shard->nodes = calloc(cap, sizeof(*shard->nodes));
    shard->bucket_mask = buckets - 1;
    shard->cap = cap;
    /* The default lets readers keep a writer waiting for ever; here the writer is an invalidation. */
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&shard->lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    return shard->buckets != NULL && shard->nodes != NULL;
}

struct cache *
cache_new(size_t cap)
{
    struct cache *cache = calloc(1, sizeof(*cache));
    if (cache == NULL)
        return NULL;
    bool complete = true;
    for (int i = 0; i < SHARD_COUNT; i++)
        complete &= shard_init(&cache->shards[i], (uint32_t)((cap + SHARD_COUNT - 1) / SHARD_COUNT));
    if (complete)
        return cache;
    cache_free(cache);
    return NULL;
}

void
cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    for (int i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &cache->shards[i];
        for (uint32_t n = 0; n < shard->count; n++)
            cached_release(shard->nodes[n].value);
        pthread_rwlock_destroy(&shard->lock);
        free(shard->nodes);
        free(shard->buckets);
    }
    free(cache);
}

void
cached_release(void *value)
{
    struct cached *cached = value;
    if (cached != NULL && atomic_fetch_sub_explicit(&cached->references, 1, memory_order_acq_rel) == 1)
        cached->dispose(cached);
}

static struct shard *
shard_of(struct cache *cache, uint64_t hash)
{
    return &cache->shards[hash >> 58];
}

static uint32_t *
bucket_of(struct shard *shard, uint64_t hash)
{
    return &shard->buckets[(hash >> 32) & shard->bucket_mask];
}

static struct node *
find(struct shard *shard, uint64_t hash, id key)
{
    for (uint32_t at = *bucket_of(shard, hash); at != 0; at = shard->nodes[at - 1].next) {
        if (id_eq(shard->nodes[at - 1].key, key))
            return &shard->nodes[at - 1];
    }
    return NULL;
}

struct cached *
cache_get(struct cache *cache, id key)
{
    uint64_t hash = id_hash(key);
    struct shard *shard = shard_of(cache, hash);
    pthread_rwlock_rdlock(&shard->lock);
    struct node *node = find(shard, hash, key);
    struct cached *value = node == NULL ? NULL : node->value;
    if (value != NULL) {
        atomic_fetch_add_explicit(&value->references, 1, memory_order_relaxed);
        /* Written only when it changes, so that readers do not fight over the line. */
        if (!atomic_load_explicit(&node->used, memory_order_relaxed))
            atomic_store_explicit(&node->used, true, memory_order_relaxed);
    }
    pthread_rwlock_unlock(&shard->lock);
    return value;
}

/* The link that points to a node: in its bucket or in the node before it. */
static uint32_t *
link_to(struct shard *shard, uint32_t index)
{
    uint32_t *link = bucket_of(shard, id_hash(shard->nodes[index].key));
    while (*link != index + 1)
        link = &shard->nodes[*link - 1].next;
    return link;
}

static void
remove_node(struct shard *shard, uint32_t index)
{
    struct node *node = &shard->nodes[index];
    cached_release(node->value);
    *link_to(shard, index) = node->next;
    uint32_t last = --shard->count;
    if (index != last) {
        *link_to(shard, last) = index + 1;
        node->key = shard->nodes[last].key;
        node->next = shard->nodes[last].next;
        node->value = shard->nodes[last].value;
        atomic_store_explicit(&node->used, atomic_load_explicit(&shard->nodes[last].used, memory_order_relaxed),
                              memory_order_relaxed);
    }
}

static void
evict_one(struct shard *shard)
{
    for (;; shard->hand++) {
        if (shard->hand >= shard->count)
            shard->hand = 0;
        struct node *node = &shard->nodes[shard->hand];
        if (!atomic_exchange_explicit(&node->used, false, memory_order_relaxed)) {
            /* Past the hole: what moves into it is the newest, which should have a round to be used in. */
            remove_node(shard, shard->hand++);
            return;
        }
    }
}

/*
 * A project that was asked for once and deleted would else stay until the shard is full, which takes 100,000 others. Two looks for each value
 * that comes: so there are never more than twice as many as come in CACHE_OLD_MS.
 */
static void
drop_old(struct shard *shard, int64_t now_ms)
{
    for (int looks = 0; looks < 2 && shard->count > 0; looks++) {
        if (shard->age_hand >= shard->count)
            shard->age_hand = 0;
        if (shard->nodes[shard->age_hand].value->loaded_at_ms < now_ms - CACHE_OLD_MS)
            remove_node(shard, shard->age_hand);
        else
            shard->age_hand++;
    }
}

static void
keep(struct shard *shard, uint64_t hash, id key, struct cached *value)
{
    struct node *node = find(shard, hash, key);
    if (node != NULL && node->value->loaded_at_ms > value->loaded_at_ms)
        return;
    atomic_fetch_add_explicit(&value->references, 1, memory_order_relaxed);
    if (node != NULL) {
        cached_release(node->value);
        node->value = value;
        return;
    }
    drop_old(shard, value->loaded_at_ms);
    if (shard->count == shard->cap)
        evict_one(shard);
    uint32_t *bucket = bucket_of(shard, hash);
    node = &shard->nodes[shard->count++];
    node->key = key;
    node->value = value;
    node->next = *bucket;
    /* Not used yet: many that are asked for once must not drive out those that are asked for again. */
    atomic_store_explicit(&node->used, false, memory_order_relaxed);
    *bucket = shard->count;
}

void
cache_put(struct cache *cache, id key, struct cached *value, bool (*may_keep)(void *context), void *context)
{
    uint64_t hash = id_hash(key);
    struct shard *shard = shard_of(cache, hash);
    pthread_rwlock_wrlock(&shard->lock);
    if (may_keep(context))
        keep(shard, hash, key, value);
    pthread_rwlock_unlock(&shard->lock);
}

void
cache_remove(struct cache *cache, id key)
{
    uint64_t hash = id_hash(key);
    struct shard *shard = shard_of(cache, hash);
    pthread_rwlock_wrlock(&shard->lock);
    struct node *node = find(shard, hash, key);
    if (node != NULL)
        remove_node(shard, (uint32_t)(node - shard->nodes));
    pthread_rwlock_unlock(&shard->lock);
}

void
cache_remove_if(struct cache *cache, bool (*is_gone)(const struct cached *value, const void *context),
                const void *context)
{
    for (int i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &cache->shards[i];
        pthread_rwlock_wrlock(&shard->lock);
        /* Backwards: the node that moves into the hole was looked at already. */
        for (uint32_t n = shard->count; n > 0; n--) {
            if (is_gone(shard->nodes[n - 1].value, context))
                remove_node(shard, n - 1);
        }
        pthread_rwlock_unlock(&shard->lock);
    }
}

size_t
cache_count(struct cache *cache)
{
    size_t count = 0;
    for (int i = 0; i < SHARD_COUNT; i++) {
        pthread_rwlock_rdlock(&cache->shards[i].lock);
        count += cache->shards[i].count;
        pthread_rwlock_unlock(&cache->shards[i].lock);
    }
    return count;
}
