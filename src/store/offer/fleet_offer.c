/* SPDX-License-Identifier: Apache-2.0 */
#include "store/offer/fleet_offer.h"

#include <stdlib.h>

#include "base/json.h"

static struct offered_size
size_of_row(const struct rows *rows, int row)
{
    return (struct offered_size){
        .name = rows_text(rows, row, C_NAME),
        .cpus = strtod(rows_text(rows, row, C_CPUS).data, NULL),
        .memory_mb = rows_int(rows, row, C_MEMORY_MB),
        .disk_gb = rows_int(rows, row, C_DISK_GB),
        .max_connections = rows_int(rows, row, C_MAX_CONNECTIONS),
    };
}

error
store_fleet_offer(struct store *store, struct arena *arena, struct fleet_offer **ret_offer)
{
    struct fleet_offer *offer = ARENA_NEW(arena, struct fleet_offer);
    struct params params = { 0 };
    struct rows regions, sizes;
    if (offer == NULL)
        return fail(arena, OVERLOADED);
    TRY(store_read(store, arena, SQL_FLEET_OFFER, &params, &regions));
    TRY(store_read(store, arena, SQL_CLUSTER_SIZE_LIST, &params, &sizes));
    for (int row = 0; row < regions.count && row < OFFER_MAX_REGIONS; row++)
        offer->regions[offer->region_count++] = (struct offered_region){
            .provider = rows_text(&regions, row, C_PROVIDER),
            .region = rows_text(&regions, row, C_REGION),
            .hosts = rows_int(&regions, row, C_COUNT),
            .versions = json_parse_own(arena, rows_text(&regions, row, C_VERSIONS)),
        };
    for (int row = 0; row < sizes.count && row < OFFER_MAX_SIZES; row++)
        offer->sizes[offer->size_count++] = size_of_row(&sizes, row);
    *ret_offer = offer;
    return OK;
}

const struct offered_region *
offer_region(const struct fleet_offer *offer, str provider, str region)
{
    for (size_t i = 0; i < offer->region_count; i++) {
        if (str_eq(offer->regions[i].provider, provider) && str_eq(offer->regions[i].region, region))
            return &offer->regions[i];
    }
    return NULL;
}

const struct offered_size *
offer_size(const struct fleet_offer *offer, str name)
{
    for (size_t i = 0; i < offer->size_count; i++) {
        if (str_eq(offer->sizes[i].name, name))
            return &offer->sizes[i];
    }
    return NULL;
}

bool
offer_has_version(const struct offered_region *region, str major_version)
{
    size_t index;
    const json_t *version;
    json_array_foreach(region->versions, index, version)
    {
        if (str_eq(json_str(version), major_version))
            return true;
    }
    return false;
}

error
store_offered_size(struct tx *tx, str name, bool *ret_found, struct offered_size *ret_size)
{
    struct params params = { 0 };
    struct rows rows;
    *ret_found = false;
    TRY(tx_query(tx, SQL_CLUSTER_SIZE_LIST, &params, &rows, NULL));
    for (int row = 0; row < rows.count && !*ret_found; row++) {
        if (str_eq(rows_text(&rows, row, C_NAME), name)) {
            *ret_size = size_of_row(&rows, row);
            *ret_found = true;
        }
    }
    return OK;
}
