/* SPDX-License-Identifier: Apache-2.0 */
#include "family/given_secret.h"

#include "api/api.h"
#include "base/given_secret.h"
#include "base/json.h"
#include "base/net/egress.h"

error
given_secret_check_url(struct request *req, str place, str text)
{
    struct egress_url url;
    const char *why;
    if (!egress_parse(req->arena, text, &url, &why))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(place), V(why));
    if (!egress_host_may_be_allowed(&req->api->egress, &url))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(place),
                    V("its address is not public, and the operator does not allow it (egress_allow)"));
    return OK;
}

error
given_secret_take(struct request *req, const struct given_secret_field *field, json_t *shown, const json_t *before,
                  json_t *own)
{
    if (json_object_get(shown, field->name) == NULL)
        return OK;
    str sent = json_str(json_object_get(shown, field->name));
    const json_t *old = json_object_get(before, field->name);
    if (given_secret_is_mask(sent)) {
        if (old == NULL || !str_eq(sent, given_secret_mask(req->arena, json_str(old))))
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field->place),
                        V("it is masked, and no secret with this end is stored; send the whole secret"));
        sent = json_str(old);
    } else if (field->is_url) {
        TRY(given_secret_check_url(req, field->place, sent));
    }
    str mask = given_secret_mask(req->arena, sent);
    json_object_set_new(own, field->name, json_stringn(sent.data, sent.len));
    json_object_set_new(shown, field->name, json_stringn(mask.data, mask.len));
    return OK;
}
