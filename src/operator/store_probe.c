/* SPDX-License-Identifier: Apache-2.0 */
#include "operator/store_probe.h"

#include "operator/store_bucket.h"

/* A transaction waits for it: no connection of the store is kept idle for longer than half a minute. */
enum { REQUEST_MS = 4000, RANDOM_BYTES = 8 };

struct probe {
    struct arena *arena;
    const struct object_store *store;
    struct bucket *bucket;
    str key, text;
};

static error
unusable(const struct probe *probe, str why, const char *remedy)
{
    return store_unusable(probe->arena, probe->store, why, remedy);
}

/* ---- The steps ---- */
static enum bucket_outcome
write_it(struct probe *probe, str *ret_why)
{
    return bucket_put_text(probe->bucket, probe->arena, probe->key, probe->text, ret_why);
}

static enum bucket_outcome
read_it(struct probe *probe, str *ret_why)
{
    str text = STR_EMPTY;
    enum bucket_outcome outcome = bucket_get_text(probe->bucket, probe->arena, probe->key, &text, ret_why);
    if (outcome != BUCKET_FINE || str_eq(text, probe->text))
        return outcome;
    *ret_why = STR("What was written is not what is read.");
    return BUCKET_REFUSED;
}

static enum bucket_outcome
list_it(struct probe *probe, str *ret_why)
{
    bool is_listed = false;
    enum bucket_outcome outcome = bucket_lists(probe->bucket, probe->arena, probe->key, &is_listed, ret_why);
    if (outcome != BUCKET_FINE || is_listed)
        return outcome;
    *ret_why = STR("An object that was written is not in the list of the bucket.");
    return BUCKET_REFUSED;
}

static enum bucket_outcome
delete_it(struct probe *probe, str *ret_why)
{
    return bucket_delete(probe->bucket, probe->arena, probe->key, ret_why);
}

static const struct {
    enum bucket_outcome (*run)(struct probe *probe, str *ret_why);
    const char *remedy; /* when the store refuses */
} steps[] = {
    { write_it,
      "Look at the name of the bucket, its region, the style of its address and the key, which needs the right "
      "to write (s3:PutObject)" },
    { read_it, "The key needs the right to read objects (s3:GetObject), and nobody may change them on the way" },
    { list_it,
      "The key needs the right to list the bucket (s3:ListBucket), and the store must list what it has at once" },
    { delete_it, "The key needs the right to delete objects (s3:DeleteObject): backups that have ended are removed" },
};

static error
look_at_lock(struct probe *probe, struct bucket_lock *ret_lock)
{
    str why;
    if (bucket_look_at_lock(probe->bucket, probe->arena, ret_lock, &why) != BUCKET_FINE)
        return unusable(probe, why,
                        "The key needs the right to read how the bucket locks (s3:GetBucketObjectLockConfiguration)");
    if (!ret_lock->is_on || !ret_lock->is_compliance || ret_lock->days == 0)
        return unusable(
            probe, STR("The bucket does not lock what is written."),
            "Make a bucket with Object Lock, and give it a default retention in mode COMPLIANCE with the number "
            "of days for which nobody may delete anything; or leave objectLock out");
    return OK;
}

static error
take_steps(struct probe *probe, struct bucket_lock *ret_lock)
{
    str why;
    for (size_t i = 0; i < LENGTH(steps); i++) {
        switch (steps[i].run(probe, &why)) {
        case BUCKET_FINE: break;
        case BUCKET_REFUSED: return unusable(probe, why, steps[i].remedy);
        case BUCKET_AWAY:
            return unusable(
                probe, why,
                "Look whether this node reaches the address, and whether it trusts the store's certificate: "
                "authority has the certificate of whoever signs it");
        }
    }
    return probe->store->object_lock ? look_at_lock(probe, ret_lock) : OK;
}

error
store_probe(struct arena *arena, const struct object_store *store, str key, str secret_key,
            struct bucket_lock *ret_lock)
{
    struct store_bucket opened CLEANUP(store_bucket_cleanup) = { .bucket = NULL };
    uint8_t random[RANDOM_BYTES];
    crypto_random(random, sizeof(random));
    str name = str_hex(arena, random, sizeof(random));
    *ret_lock = (struct bucket_lock){ .is_on = false };
    TRY(store_bucket_open(arena, store, key, secret_key, REQUEST_MS, &opened));
    struct probe probe = { .arena = arena,
                           .store = store,
                           .bucket = opened.bucket,
                           .key = str_format(arena, "%sreeve-probe-%s", store_prefix(arena, store).data, name.data),
                           .text = name };
    return take_steps(&probe, ret_lock);
}
