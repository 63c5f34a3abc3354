/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fleet/fleet.h"

/* ---- Authority and certificates ---- */
static struct authority_row
authority_of(struct arena *arena, const struct rows *rows)
{
    if (rows->count == 0)
        return (struct authority_row){ .certificate = STR_EMPTY, .sealed_key = STR_EMPTY };
    return (struct authority_row){ .id = rows_id(rows, 0, C_ID),
                                   .certificate = rows_text(rows, 0, C_CERTIFICATE),
                                   .sealed_key = rows_bytes(arena, rows, 0, C_KEY) };
}

error
store_fleet_authority(struct store *store, struct arena *arena, struct authority_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_FLEET_AUTHORITY_GET, &params, &rows));
    *ret_row = authority_of(arena, &rows);
    return OK;
}

error
store_cluster_authority(struct tx *tx, id cluster, struct authority_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CLUSTER, cluster);
    TRY(tx_query(tx, SQL_CLUSTER_AUTHORITY_GET, &params, &rows, NULL));
    *ret_row = authority_of(tx_arena(tx), &rows);
    return OK;
}

error
store_cluster_authority_add(struct tx *tx, id cluster, const struct authority_row *row, int64_t not_after_ms)
{
    struct params params = { 0 };
    params_id(&params, P_CLUSTER, cluster);
    params_id(&params, P_ID, row->id);
    params_text(&params, P_CERTIFICATE, row->certificate);
    params_bytes(&params, P_SEALED_KEY, row->sealed_key);
    params_int(&params, P_NOT_AFTER_MS, not_after_ms);
    return tx_query(tx, SQL_CLUSTER_AUTHORITY_ADD, &params, NULL, NULL);
}

error
store_fleet_authority_add(struct tx *tx, const struct authority_row *row, int64_t not_after_ms)
{
    struct params params = { 0 };
    params_id(&params, P_ID, row->id);
    params_text(&params, P_CERTIFICATE, row->certificate);
    params_bytes(&params, P_SEALED_KEY, row->sealed_key);
    params_int(&params, P_NOT_AFTER_MS, not_after_ms);
    return tx_query(tx, SQL_FLEET_AUTHORITY_ADD, &params, NULL, NULL);
}

error
store_certificate_add(struct tx *tx, const struct certificate_row *row)
{
    struct params params = { 0 };
    params_text(&params, P_SERIAL, row->serial);
    params_id(&params, P_AUTHORITY, row->authority);
    params_text(&params, P_KIND, row->kind);
    params_text(&params, P_OWNER, row->owner);
    params_int(&params, P_NOT_AFTER_MS, row->not_after_ms);
    return tx_query(tx, SQL_CERTIFICATE_ADD, &params, NULL, NULL);
}

error
store_certificate_revoke(struct tx *tx, str kind, str owner, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_KIND, kind);
    params_text(&params, P_OWNER, owner);
    TRY(tx_query(tx, SQL_CERTIFICATE_REVOKE, &params, &rows, NULL));
    *ret_count = rows.count;
    return OK;
}

/* ---- Where clusters can be ---- */
/* The tables themselves say what a name may look like and what must be there before. */
static error
add(struct tx *tx, enum sql statement, const struct params *params, bool *ret_is_valid)
{
    struct violation violation;
    TRY(tx_query(tx, statement, params, NULL, &violation));
    *ret_is_valid = violation.kind == VIOLATION_NONE;
    return OK;
}

error
store_provider_add(struct tx *tx, str name, bool *ret_is_valid)
{
    struct params params = { 0 };
    params_text(&params, P_NAME, name);
    return add(tx, SQL_PROVIDER_ADD, &params, ret_is_valid);
}

error
store_region_add(struct tx *tx, str provider, str name, bool *ret_is_valid)
{
    struct params params = { 0 };
    params_text(&params, P_PROVIDER, provider);
    params_text(&params, P_NAME, name);
    return add(tx, SQL_REGION_ADD, &params, ret_is_valid);
}

error
store_instance_size_set(struct tx *tx, const struct instance_size *size, bool *ret_is_valid)
{
    struct params params = { 0 };
    params_text(&params, P_NAME, size->name);
    params_text(&params, P_CPUS, size->cpus);
    params_int(&params, P_MEMORY_MB, size->memory_mb);
    params_int(&params, P_DISK_GB, size->disk_gb);
    params_int(&params, P_MAX_CONNECTIONS, size->max_connections);
    params_int(&params, P_ORDINAL, size->ordinal);
    return add(tx, SQL_INSTANCE_SIZE_SET, &params, ret_is_valid);
}

error
store_dns_zone_set(struct tx *tx, str name, str nameservers, str contact)
{
    struct params params = { 0 };
    params_text(&params, P_NAME, name);
    params_text(&params, P_NAMESERVERS, nameservers);
    params_text(&params, P_CONTACT, contact);
    return tx_query(tx, SQL_DNS_ZONE_SET, &params, NULL, NULL);
}

error
store_fleet_list(struct store *store, struct arena *arena, enum sql statement, str about, str *ret_json)
{
    struct params params = { 0 };
    struct rows rows;
    if (statement == SQL_HOST_LIST || statement == SQL_HOST_MEMBER_LIST || statement == SQL_HOST_ADDRESS_LIST ||
        statement == SQL_HOST_SEAT_LIST)
        params_text(&params, P_HOST, about);
    TRY(store_read(store, arena, statement, &params, &rows));
    *ret_json = rows.count == 0 ? STR("[]") : rows_text(&rows, 0, C_JSON);
    return OK;
}

/* ---- Join tokens ---- */
const char *const host_purpose_names[] = {
    [HOST_FOR_DATABASES] = "DATABASE",
    [HOST_FOR_BACKUPS] = "REPOSITORY",
    [HOST_FOR_RELAYS] = "RELAY",
    NULL,
};

error
store_join_token_add(struct tx *tx, str hash, const struct join_place *place, int64_t lifetime_s, bool *ret_is_valid)
{
    struct params params = { 0 };
    params_bytes(&params, P_HASH, hash);
    params_text(&params, P_HOST_NAME, place->host_name);
    params_text(&params, P_PROVIDER, place->provider);
    params_text(&params, P_REGION, place->region);
    params_text(&params, P_ZONE, place->zone);
    params_text(&params, P_PURPOSE, str_from(host_purpose_names[place->purpose]));
    params_text(&params, P_OBJECT_STORE, place->object_store);
    params_int(&params, P_LIFETIME_S, lifetime_s);
    return add(tx, SQL_JOIN_TOKEN_ADD, &params, ret_is_valid);
}

error
store_join_token_take(struct tx *tx, str hash, enum join_token_state *ret_state, struct join_place *ret_place)
{
    struct params params = { 0 };
    struct rows rows;
    params_bytes(&params, P_HASH, hash);
    TRY(tx_query(tx, SQL_JOIN_TOKEN_TAKE, &params, &rows, NULL));
    if (rows.count == 0) {
        *ret_state = TOKEN_UNKNOWN;
    } else if (rows_is_null(&rows, 0, C_HOST_NAME)) {
        *ret_state = rows_bool(&rows, 0, C_IS_USED) ? TOKEN_USED : TOKEN_EXPIRED;
    } else {
        *ret_state = TOKEN_TAKEN;
        int purpose = str_word(rows_text(&rows, 0, C_PURPOSE), host_purpose_names);
        *ret_place = (struct join_place){
            rows_text(&rows, 0, C_HOST_NAME),
            rows_text(&rows, 0, C_PROVIDER),
            rows_text(&rows, 0, C_REGION),
            rows_text(&rows, 0, C_ZONE),
            (enum host_purpose)(purpose < 0 ? HOST_FOR_DATABASES : purpose),
            rows_text(&rows, 0, C_OBJECT_STORE),
        };
    }
    return OK;
}
