/* SPDX-License-Identifier: Apache-2.0 */
#include "family/credential/credentials.h"

#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "auth/credential.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "store/auth/principal.h"

/* ---- Which one ---- */

bool
credential_from_path(const struct request *req, struct credential *ret)
{
    str client_id = request_path_value(req, "clientId");
    *ret = (struct credential){ .kind = client_id.len > 0 ? CREDENTIAL_SERVICE_ACCOUNT : CREDENTIAL_API_KEY };
    if (ret->kind == CREDENTIAL_SERVICE_ACCOUNT)
        return credential_parse_client_id(client_id, &ret->id);
    return id_parse(request_path_value(req, "apiUserId"), &ret->id);
}

error
credential_bind_get(struct request *req, struct params *params)
{
    struct credential credential;
    if (!credential_from_path(req, &credential))
        return request_not_found(req);
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_CREDENTIAL, credential.id);
    params_id_or_null(params, P_PROJECT, req->project);
    return OK;
}

error
credential_bind_list(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    params_id_or_null(params, P_PROJECT, req->project);
    return OK;
}

static error
lock(struct request *req, id project, struct credential *ret)
{
    bool found = false;
    if (credential_from_path(req, ret))
        TRY(store_credential_lock(req->tx, ret->kind, req->organization, ret->id, project, &found, &ret->revision));
    if (!found)
        return request_not_found(req);
    return request_check_match(req, ret->revision);
}

error
credential_lock(struct request *req, struct credential *ret_credential)
{
    return lock(req, req->project, ret_credential);
}

error
credential_lock_itself(struct request *req, struct credential *ret_credential)
{
    bool beyond = false;
    TRY(credential_lock(req, ret_credential));
    if (id_is_there(req->project) && (req->roles & ORG_OWNER) == 0)
        TRY(store_credential_reaches_beyond(req->tx, req->organization, ret_credential->id, req->project, &beyond));
    if (!beyond)
        return OK;
    bool is_key = ret_credential->kind == CREDENTIAL_API_KEY;
    return fail(req->arena, BEYOND_THE_PROJECT, V(is_key ? "The API key" : "The service account"));
}

error
credential_lock_in_organization(struct request *req, struct credential *ret_credential)
{
    return lock(req, ID_NONE, ret_credential);
}

error
credential_json(struct request *req, const struct credential *credential, json_t **ret_json)
{
    str document;
    int64_t revision;
    TRY(store_credential_document(req->tx, credential->kind, req->organization, credential->id, req->project, &document,
                                  &revision));
    *ret_json = json_parse_own(req->arena, document);
    return *ret_json == NULL ? fail(req->arena, OVERLOADED) : OK;
}

error
credential_answer(struct request *req, const struct credential *credential)
{
    str document;
    int64_t revision;
    TRY(store_credential_changed(req->tx, req->organization, credential->id));
    TRY(store_credential_document(req->tx, credential->kind, req->organization, credential->id, req->project, &document,
                                  &revision));
    answer_entity(req, document, revision);
    return OK;
}

error
credential_replace_roles(struct request *req, const struct credential *credential, const json_t *roles)
{
    struct owner_guard guard;
    json_t *before;
    if (roles == NULL)
        return OK;
    TRY(store_credential_roles(req->tx, req->organization, credential->id, req->project, &before));
    TRY(check_replaceable(req, before, roles));
    TRY(owner_guard_begin(req, &guard));
    TRY(store_credential_set_roles(req->tx, req->organization, credential->id, req->project, roles));
    return owner_guard_end(req, &guard);
}

error
credential_add_roles(struct request *req, const struct credential *credential, const json_t *roles)
{
    TRY(check_grantable(req, roles));
    for (size_t i = 0; i < json_array_size(roles); i++)
        TRY(add_role_grant(req->tx, credential->id, req->organization, req->project,
                           json_str(json_array_get(roles, i))));
    return OK;
}

error
credential_delete(struct request *req)
{
    struct credential credential;
    json_t *before;
    TRY(credential_lock(req, &credential));
    TRY(credential_json(req, &credential, &before));
    bool is_key = credential.kind == CREDENTIAL_API_KEY;
    if (id_is_there(req->project)) {
        TRY(credential_replace_roles(req, &credential, json_in(req->arena, json_array())));
        TRY(store_credential_changed(req->tx, req->organization, credential.id));
        TRY(request_event(req, is_key ? EVENT_API_KEY_UPDATED : EVENT_SERVICE_ACCOUNT_UPDATED, before, NULL));
    } else {
        struct owner_guard guard;
        bool deleted;
        TRY(owner_guard_begin(req, &guard));
        TRY(delete_principal(req->tx, credential.id, req->organization, &deleted));
        TRY(owner_guard_end(req, &guard));
        TRY(request_event(req, is_key ? EVENT_API_KEY_DELETED : EVENT_SERVICE_ACCOUNT_DELETED, before, NULL));
    }
    answer_nothing(req);
    return OK;
}

/* ---- Access lists ---- */

/* The same fields, which have other names in entries of API keys. */
#define ACCESS_ENTRY_FIELDS(created, last_used, count)                                                                 \
    {                                                                                                                  \
        CIDR("cidrBlock", "Block of addresses. Send either this or ipAddress.", ALWAYS,                                \
             .example = "\"203.0.113.0/24\""),                                                                         \
            CIDR("ipAddress", "One address.", 0, .example = "\"203.0.113.10\""),                                       \
            TEXT("comment", "What the entry is for.", 0, .max = 80),                                                   \
            DATE(created, "When the entry was added.", READ_ONLY),                                                     \
            DATE(last_used, "When a request last came from it.", READ_ONLY),                                           \
            TEXT("lastUsedAddress", "Address that this request came from.", READ_ONLY, .example = "\"203.0.113.10\""), \
            INTEGER(count, "How many requests came from it, except those of the last ten seconds.", READ_ONLY),        \
            END_OF_FIELDS,                                                                                             \
    }
static const struct field access_entry_fields[] = ACCESS_ENTRY_FIELDS("createdAt", "lastUsedAt", "requestCount");
const struct schema access_entry_schema = {
    "AccessListEntry",
    "Addresses from which a service account can be used.",
    access_entry_fields,
};
static const struct field key_access_entry_fields[] = ACCESS_ENTRY_FIELDS("created", "lastUsed", "count");
const struct schema key_access_entry_schema = {
    "ApiKeyAccessListEntry",
    "Addresses from which an API key can be used.",
    key_access_entry_fields,
};

/* Whether the path names a credential that is in this context; for reads, which lock nothing. */
static error
find(struct request *req, struct credential *ret)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(credential_bind_get(req, &params));
    if (!credential_from_path(req, ret))
        return request_not_found(req);
    enum sql statement = ret->kind == CREDENTIAL_API_KEY ? SQL_API_KEY_GET : SQL_SERVICE_ACCOUNT_GET;
    TRY(store_read(req->api->store, req->arena, statement, &params, &rows));
    return rows.count == 1 ? OK : request_not_found(req);
}

static void
bind_page(struct request *req, const struct credential *credential, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    params_id(params, P_CREDENTIAL, credential->id);
    params_bool(params, P_IS_API_KEY, credential->kind == CREDENTIAL_API_KEY);
}

error
access_list_page(struct request *req)
{
    struct credential credential;
    struct params params = { 0 };
    struct rows rows;
    TRY(find(req, &credential));
    bind_page(req, &credential, &params);
    TRY(store_read(req->api->store, req->arena, SQL_ACCESS_LIST_PAGE, &params, &rows));
    return list_answer(req, &rows);
}

/* The block of one entry of the body. */
static error
block_of(struct request *req, size_t index, const json_t *entry, struct net_block *ret_block)
{
    str block = json_str(json_object_get(entry, "cidrBlock")), address = json_str(json_object_get(entry, "ipAddress"));
    str path = str_format(req->arena, "[%zu].cidrBlock", index);
    if ((block.len == 0) == (address.len == 0))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(path), V("send either cidrBlock or ipAddress"));
    if (!net_parse_block(block.len > 0 ? block : address, ret_block))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(path), V("it must be an address or a block of addresses"));
    return OK;
}

error
access_list_add(struct request *req)
{
    struct credential credential;
    struct params params = { 0 };
    struct rows rows;
    TRY(credential_lock_itself(req, &credential));
    for (size_t i = 0; i < json_array_size(req->body); i++) {
        const json_t *entry = json_array_get(req->body, i);
        struct net_block block;
        TRY(block_of(req, i, entry, &block));
        TRY(add_access_list_entry(req->tx, credential.id, req->organization, net_block_text(req->arena, &block),
                                  json_str(json_object_get(entry, "comment"))));
    }
    TRY(store_credential_changed(req->tx, req->organization, credential.id));
    TRY(request_event(req, EVENT_ACCESS_LIST_ENTRY_ADDED, NULL, req->body));
    bind_page(req, &credential, &params);
    TRY(tx_query(req->tx, SQL_ACCESS_LIST_PAGE, &params, &rows, NULL));
    return list_answer(req, &rows);
}

error
access_list_get(struct request *req)
{
    struct credential credential;
    struct params params = { 0 };
    struct rows rows;
    struct net_block block;
    if (!net_parse_block(request_path_value(req, "ipAddress"), &block))
        return request_not_found(req);
    TRY(find(req, &credential));
    params_id(&params, P_ORGANIZATION, req->organization);
    params_id(&params, P_CREDENTIAL, credential.id);
    params_text(&params, P_BLOCK, net_block_text(req->arena, &block));
    params_bool(&params, P_IS_API_KEY, credential.kind == CREDENTIAL_API_KEY);
    TRY(store_read(req->api->store, req->arena, SQL_ACCESS_LIST_ENTRY_GET, &params, &rows));
    if (rows.count == 0)
        return request_not_found(req);
    answer_entity(req, rows_text(&rows, 0, C_DOCUMENT), 0);
    return OK;
}

/* A caller that takes away the ground it stands on could not put it back. */
static bool
locks_caller_out(const struct request *req, const struct credential *credential, const struct net_block *removed)
{
    if (!id_eq(credential->id, req->caller->id))
        return false;
    bool still_listed = req->caller->block_count <= 1 && !req->caller->access_list_required;
    for (size_t i = 0; i < req->caller->block_count; i++) {
        const struct net_block *block = &req->caller->blocks[i];
        bool same = block->prefix == removed->prefix && memcmp(&block->base, &removed->base, sizeof(block->base)) == 0;
        still_listed |= !same && net_contains(block, &req->in.client);
    }
    return !still_listed;
}

error
access_list_remove(struct request *req)
{
    struct credential credential;
    struct net_block block;
    bool removed;
    if (!net_parse_block(request_path_value(req, "ipAddress"), &block))
        return request_not_found(req);
    TRY(credential_lock_itself(req, &credential));
    if (locks_caller_out(req, &credential, &block))
        return fail(req->arena, ADDRESS_IN_USE, V(net_address_text(req->arena, &req->in.client)));
    str text = net_block_text(req->arena, &block);
    TRY(remove_access_list_entry(req->tx, credential.id, req->organization, text, &removed));
    if (!removed)
        return request_not_found(req);
    TRY(store_credential_changed(req->tx, req->organization, credential.id));
    json_t *before = json_in(req->arena, json_pack("{s:s}", "cidrBlock", text.data));
    TRY(request_event(req, EVENT_ACCESS_LIST_ENTRY_REMOVED, before, NULL));
    answer_nothing(req);
    return OK;
}
