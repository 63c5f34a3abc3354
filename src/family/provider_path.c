/* SPDX-License-Identifier: Apache-2.0 */
#include "family/provider_path.h"

#include "api/api.h"
#include "store/offer/fleet_offer.h"

error
relate_provider_lists(struct request *req, const char *above, const char *list)
{
    struct fleet_offer *offer;
    TRY(store_fleet_offer(req->api->store, req->arena, &offer));
    for (size_t i = 0; i < offer->region_count; i++) {
        str provider = offer->regions[i].provider;
        if (i > 0 && str_eq(provider, offer->regions[i - 1].provider)) /* they are in order */
            continue;
        str behind = str_format(req->arena, "/%.*s/%s", STR_ARG(provider), list);
        answer_relate(req, behind.data,
                      str_format(req->arena, "/groups/%s/%s%.*s", id_text(req->arena, req->project).data, above,
                                 STR_ARG(behind)));
    }
    return OK;
}
