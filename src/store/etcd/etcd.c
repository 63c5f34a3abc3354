/* SPDX-License-Identifier: Apache-2.0 */
#include "store/etcd/etcd.h"

static const char *const auth_words[] = {
    [ETCD_AUTH_OFF] = "OFF", [ETCD_AUTH_PREPARED] = "PREPARED", [ETCD_AUTH_ON] = "ON", NULL
};

/* PREPARED is what is looked at again, so it is every word that is none of these. */
static enum etcd_auth
auth_from(str word)
{
    int at = str_word(word, auth_words);
    return at < 0 ? ETCD_AUTH_PREPARED : (enum etcd_auth)at;
}

static struct etcd_place
place_of(struct arena *arena, const struct rows *rows, int row)
{
    return (struct etcd_place){
        .group = rows_text(rows, row, C_NAME),
        .endpoints = rows_text(rows, row, C_ENDPOINTS),
        .auth = auth_from(rows_text(rows, row, C_AUTH)),
        .sealed_root = rows_bytes(arena, rows, row, C_ROOT),
        .scope = rows_text(rows, row, C_SET_NAME),
        .user = rows_text(rows, row, C_ETCD_USER),
        .sealed_password = rows_bytes(arena, rows, row, C_ETCD_PASSWORD),
        .waiting = rows_int(rows, row, C_WAITING),
        .is_early = rows_bool(rows, row, C_EARLY),
    };
}

error
store_etcd_of_cluster(struct store *store, struct arena *arena, id cluster, bool *ret_found,
                      struct etcd_place *ret_place)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CLUSTER, cluster);
    TRY(store_read(store, arena, SQL_ETCD_OF_CLUSTER, &params, &rows));
    *ret_found = rows.count > 0;
    if (*ret_found)
        *ret_place = place_of(arena, &rows, 0);
    return OK;
}

error
store_etcd_groups(struct store *store, struct arena *arena, size_t *ret_count, struct etcd_place **ret_places)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_ETCD_GROUP_ALL, &params, &rows));
    *ret_places = ARENA_ARRAY(arena, struct etcd_place, (size_t)rows.count + 1);
    if (*ret_places == NULL)
        return fail(arena, OVERLOADED);
    *ret_count = (size_t)rows.count;
    for (int i = 0; i < rows.count; i++)
        (*ret_places)[i] = place_of(arena, &rows, i);
    return OK;
}

error
store_etcd_without_user(struct store *store, struct arena *arena, size_t *ret_count, id ret_clusters[ETCD_CLUSTERS_MAX],
                        id ret_organizations[ETCD_CLUSTERS_MAX])
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_ETCD_CLUSTERS_WITHOUT_USER, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < ETCD_CLUSTERS_MAX; i++) {
        ret_clusters[*ret_count] = rows_id(&rows, i, C_CLUSTER);
        ret_organizations[(*ret_count)++] = rows_id(&rows, i, C_ORGANIZATION);
    }
    return OK;
}

error
store_etcd_group_set_auth(struct tx *tx, str group, enum etcd_auth auth, str waits_for)
{
    struct params params = { 0 };
    params_text(&params, P_GROUP, group);
    params_text(&params, P_AUTH, str_from(auth_words[auth]));
    params_text(&params, P_WAITS_FOR, waits_for);
    return tx_query(tx, SQL_ETCD_GROUP_SET_AUTH, &params, NULL, NULL);
}

/* ---- Clusters ---- */
error
store_cluster_etcd_bind(struct tx *tx, id cluster, str provider, str region, bool *ret_bound)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CLUSTER, cluster);
    params_text(&params, P_PROVIDER, provider);
    params_text(&params, P_REGION, region);
    TRY(tx_query(tx, SQL_CLUSTER_ETCD_BIND, &params, &rows, NULL));
    *ret_bound = rows_bool(&rows, 0, C_BOUND);
    return OK;
}

error
store_cluster_etcd_password(struct tx *tx, id organization, id cluster, str sealed)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CLUSTER, cluster);
    params_bytes(&params, P_SEALED, sealed);
    return tx_query(tx, SQL_CLUSTER_ETCD_PASSWORD_SET, &params, NULL, NULL);
}

error
store_cluster_etcd_user(struct tx *tx, id cluster, str user)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CLUSTER, cluster);
    params_text(&params, P_USER, user);
    return tx_query(tx, SQL_CLUSTER_ETCD_USER_SET, &params, &rows, NULL);
}

/* ---- Operators ---- */
error
store_etcd_group_add(struct tx *tx, const struct etcd_group_draft *draft, bool *ret_added)
{
    struct params params = { 0 };
    struct rows rows = { 0 };
    struct violation violation;
    params_text(&params, P_NAME, draft->name);
    params_text(&params, P_ENDPOINTS, draft->endpoints);
    params_text(&params, P_REGIONS, draft->regions);
    params_int(&params, P_CAPACITY, draft->capacity);
    params_bytes(&params, P_SEALED_ROOT, draft->sealed_root);
    TRY(tx_query(tx, SQL_ETCD_GROUP_ADD, &params, &rows, &violation));
    *ret_added = violation.kind == VIOLATION_NONE && rows.count > 0;
    return OK;
}

error
store_etcd_group_change(struct tx *tx, const struct etcd_group_change *change, bool *ret_is_there)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_NAME, change->name);
    params_text_or_null(&params, P_STATE, change->state);
    if (change->capacity < 0)
        params_null(&params, P_CAPACITY);
    else
        params_int(&params, P_CAPACITY, change->capacity);
    params_bool(&params, P_SECURE, change->secure);
    params_bytes(&params, P_SEALED_ROOT, change->sealed_root);
    TRY(tx_query(tx, SQL_ETCD_GROUP_CHANGE, &params, &rows, NULL));
    *ret_is_there = rows.count > 0;
    return OK;
}

error
store_etcd_group_remove(struct tx *tx, str name, bool *ret_is_there, bool *ret_is_used)
{
    struct params params = { 0 };
    struct rows rows = { 0 };
    struct violation violation;
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_ETCD_GROUP_REMOVE, &params, &rows, &violation));
    *ret_is_used = violation.kind != VIOLATION_NONE;
    *ret_is_there = *ret_is_used || rows.count > 0;
    return OK;
}
