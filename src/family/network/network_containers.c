/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Network containers: blocks of the operator's private addresses that belong to one project. Where members are placed is
 * decided in the database (member_place), which also keeps blocks apart.
 */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "base/net/net.h"
#include "family/network/network.h"
#include "store/network/container.h"
#include "store/network/peer.h"
#include "store/tenant/project.h"

enum { SHORTEST_PREFIX = 116 }; /* of 128: 4,096 addresses, a /20 of IPv4 */

static const struct field container_fields[] = {
    ID("id", "Identifier of the container.", READ_ONLY | ALWAYS),
    TEXT("providerName", "Provider of the hosts, by the name that the operator gave. It cannot be changed.",
         REQUIRED | ALWAYS, .min = 1, .max = 32, .example = "\"ONPREM\""),
    TEXT("regionName",
         "Region of the hosts, by the name that the operator gave. A project has one container in a region. It "
         "cannot be changed.",
         REQUIRED | ALWAYS, .min = 1, .max = 63, .example = "\"EU_NORTH\""),
    CIDR("serviceCidrBlock",
         "Block of at most 4,096 private addresses. The operator's pool must have some of them in this region and "
         "none in others. At least as many must be left for other projects.",
         REQUIRED | ALWAYS, .example = "\"10.91.4.0/24\""),
    BOOL("provisioned", "Whether members of the project's clusters use addresses of the block.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema container_schema = { "NetworkContainer",
                                         "A block of private addresses for members of a project's clusters.",
                                         container_fields };

/* ---- Reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    id container;
    TRY(request_path_id(req, "containerId", &container));
    params_id(params, P_PROJECT, req->project);
    params_id(params, P_CONTAINER, container);
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    list_bind(req, params);
    params_text(params, P_PROVIDER_NAME, request_query(req, "providerName"));
    return OK;
}

const struct read container_get = { SQL_CONTAINER_GET, bind_get, answer_row };
const struct read container_list = { SQL_CONTAINER_LIST, bind_list, list_answer };

/* ---- Changing ---- */

static error
read_block(struct request *req, str *ret_block)
{
    struct net_block block;
    if (!net_parse_block(json_str(json_object_get(req->body, "serviceCidrBlock")), &block))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("serviceCidrBlock"), V("it must be a block of addresses"));
    if (block.prefix < SHORTEST_PREFIX)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("serviceCidrBlock"),
                    V("it must not have more than 4096 addresses"));
    *ret_block = net_block_text(req->arena, &block);
    return OK;
}

error
container_create(struct request *req)
{
    struct project project;
    str document;
    int64_t revision;
    struct container_draft draft = {
        .organization = req->organization,
        .project = req->project,
        .id = id_new(store_cell(req->api->store)),
        .provider = json_str(json_object_get(req->body, "providerName")),
        .region = json_str(json_object_get(req->body, "regionName")),
    };
    TRY(read_block(req, &draft.block));
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(store_container_add(req->tx, &draft));
    TRY(store_container_lock(req->tx, req->project, draft.id, &document, &revision));
    TRY(request_event(req, EVENT_CONTAINER_CREATED, NULL, json_parse_own(req->arena, document)));
    answer_created(req, document, id_text(req->arena, draft.id), revision);
    return OK;
}

/* The container that the path names, which nothing uses. */
static error
lock_unused(struct request *req, id *ret_container, const json_t **ret_before)
{
    struct project project;
    str document;
    int64_t revision;
    TRY(request_path_id(req, "containerId", ret_container));
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(store_container_lock(req->tx, req->project, *ret_container, &document, &revision));
    if (document.len == 0)
        return request_not_found(req);
    TRY(request_check_match(req, revision));
    *ret_before = json_parse_own(req->arena, document);
    if (json_is_true(json_object_get(*ret_before, "provisioned")))
        return fail(req->arena, CONTAINER_IN_USE, V(id_text(req->arena, *ret_container)));
    bool is_peered;
    TRY(store_container_is_peered(req->tx, req->project, *ret_container, &is_peered));
    return is_peered ? fail(req->arena, CONTAINER_HAS_PEERS, V(id_text(req->arena, *ret_container))) : OK;
}

/* Clients send the whole container: what stays as it is may be said. */
static error
check_unchanged(struct request *req, const json_t *before, const char *field)
{
    const json_t *sent = json_object_get(req->body, field);
    if (sent == NULL || json_equal(sent, json_object_get(before, field)))
        return OK;
    return fail(req->arena, UNMODIFIABLE_ATTRIBUTE, V(field));
}

error
container_update(struct request *req)
{
    const json_t *before;
    str document;
    int64_t revision;
    struct container_draft draft = { .organization = req->organization, .project = req->project };
    TRY(lock_unused(req, &draft.id, &before));
    TRY(check_unchanged(req, before, "providerName"));
    TRY(check_unchanged(req, before, "regionName"));
    draft.provider = json_str(json_object_get(before, "providerName"));
    draft.region = json_str(json_object_get(before, "regionName"));
    if (json_object_get(req->body, "serviceCidrBlock") != NULL) {
        TRY(read_block(req, &draft.block));
        TRY(store_container_update(req->tx, &draft));
    }
    TRY(store_container_lock(req->tx, req->project, draft.id, &document, &revision));
    TRY(request_event(req, EVENT_CONTAINER_UPDATED, before, json_parse_own(req->arena, document)));
    answer_entity(req, document, revision);
    return OK;
}

error
container_delete(struct request *req)
{
    const json_t *before;
    id container;
    TRY(lock_unused(req, &container, &before));
    TRY(store_container_delete(req->tx, req->project, container));
    TRY(request_event(req, EVENT_CONTAINER_DELETED, before, NULL));
    answer_nothing(req);
    return OK;
}
