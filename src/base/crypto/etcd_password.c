/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/etcd_password.h"

static str
place_of_root(struct arena *arena, str group)
{
    return str_format(arena, "etcd/%.*s/root", STR_ARG(group));
}

static str
place_of_cluster(struct arena *arena, id cluster)
{
    return str_format(arena, "etcd/%s/password", id_text(arena, cluster).data);
}

static bool
make(struct arena *arena, const struct key *key, str place, str *ret_sealed)
{
    uint8_t bytes[KEY_BYTES];
    crypto_random(bytes, sizeof(bytes));
    str plain = str_hex(arena, bytes, sizeof(bytes));
    crypto_wipe(bytes, sizeof(bytes));
    return plain.len > 0 && crypto_seal(arena, key, place, plain, ret_sealed);
}

bool
etcd_password_of_root_new(struct arena *arena, const struct key *key, str group, str *ret_sealed)
{
    return make(arena, key, place_of_root(arena, group), ret_sealed);
}

bool
etcd_password_of_root_open(struct arena *arena, const struct key *key, str group, str sealed, str *ret_password)
{
    return crypto_open(arena, key, place_of_root(arena, group), sealed, ret_password);
}

bool
etcd_password_of_cluster_new(struct arena *arena, const struct key *key, id cluster, str *ret_sealed)
{
    return make(arena, key, place_of_cluster(arena, cluster), ret_sealed);
}

bool
etcd_password_of_cluster_open(struct arena *arena, const struct key *key, id cluster, str sealed, str *ret_password)
{
    return crypto_open(arena, key, place_of_cluster(arena, cluster), sealed, ret_password);
}
