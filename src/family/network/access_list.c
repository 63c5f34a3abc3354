/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may open a connection to a project's clusters. The access lists of API callers are kept with keys and
 * service accounts.
 */
#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "base/net/net.h"
#include "family/access/access.h"
#include "family/families.h"
#include "family/policy/resource_policies.h"
#include "family/project_limits.h"
#include "store/access/access.h"
#include "store/resource.h"
#include "store/tenant/project.h"

static const char *const states[] = { "PENDING", "ACTIVE", "EXPIRED", "FAILED", NULL };

static const struct field entry_fields[] = {
    CIDR("cidrBlock", "Block of addresses, such as 203.0.113.0/24. Send either this or ipAddress.", 0,
         .example = "\"203.0.113.0/24\""),
    CIDR("ipAddress", "A single address.", 0, .example = "\"203.0.113.7\""),
    TEXT("comment", "What it is for.", 0, .max = 80, .example = "\"office\""),
    DATE("deleteAfterDate", "When the entry is removed; without it, never.", 0),
    ID("groupId", "Project of the entry.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema entry_schema = { "NetworkAccessEntry", "Addresses from which clusters accept connections.",
                                            entry_fields };

static const struct field status_fields[] = {
    TEXT("STATUS",
         "PENDING until every member of the project's clusters uses the entry, then ACTIVE; FAILED when a member "
         "could not apply it, EXPIRED when its time is over.",
         READ_ONLY | ALWAYS, .one_of = states),
    END_OF_FIELDS,
};
static const struct schema status_schema = { "NetworkAccessEntryStatus", "Whether an entry is in effect.",
                                             status_fields };

static const struct kind access_list_entry;
static error bind_status(struct request *req, struct params *params);
static error answer_status(struct request *req, const struct rows *rows);
static handler entries_add;

static const struct read entry_status = { SQL_ACCESS_ENTRY_STATUS, bind_status, answer_status };

// clang-format off
static const struct endpoint access_list_endpoints[] = {
    { GET, "/groups/{groupId}/accessList", S52, ANY_OF(PROJECT_READ_ONLY), "listGroupAccessListEntries",
      "Return the access list of one project",
      "Lists the addresses and blocks from which the project's clusters accept connections. With an empty list nobody can "
      "connect.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/accessList/{entryValue}", .read = &crud_list, .kind = &access_list_entry,
      .response = &entry_schema, .flags = MAIN_LINK },
    { POST, "/groups/{groupId}/accessList", S52, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER),
      "createGroupAccessListEntry",
      "Add entries to the access list of one project",
      "Adds addresses or blocks, for good or until a date; the others stay. An existing entry gets the comment and the date that "
      "are sent. Answers with the list; clusters apply it within seconds.",
      .shape = SHAPE_LIST, .success = 200, .flags = BODY_IS_LIST, .item = "/groups/{groupId}/accessList/{entryValue}",
      .run = entries_add, .kind = &access_list_entry, .request = &entry_schema, .response = &entry_schema,
      .example = "[{\"cidrBlock\": \"203.0.113.0/24\", \"comment\": \"office\"}]" },
    { DELETE, "/groups/{groupId}/accessList/{entryValue}", S52, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER),
      "deleteGroupAccessListEntry",
      "Remove one entry from the access list of one project",
      "Removes one address or block from the list. New connections from there are refused; open ones may continue.",
      .shape = SHAPE_NOTHING, .run = crud_delete, .kind = &access_list_entry },
    { GET, "/groups/{groupId}/accessList/{entryValue}", S52, ANY_OF(PROJECT_READ_ONLY), "getGroupAccessListEntry",
      "Return one entry of the access list of one project",
      "Returns one address or block with its comment and end date. Write the slash of a block as %2F.",
      .read = &crud_get, .kind = &access_list_entry, .response = &entry_schema },
    { GET, "/groups/{groupId}/accessList/{entryValue}/status", S52, ANY_OF(PROJECT_READ_ONLY),
      "getGroupAccessListStatus",
      "Return whether one access list entry is in effect",
      "Tells whether all members of the project's clusters use the entry yet. In a project without clusters it is in effect at "
      "once.",
      .flags = NO_ETAG, .read = &entry_status, .response = &status_schema },
};
// clang-format on

FAMILY(access_list_family, "access-list", "Project access list",
       "The addresses from which a project's clusters may be reached.", access_list_endpoints);

error
access_check_end(struct request *req, json_t *document, bool was_sent)
{
    int64_t ms;
    if (!date_parse(json_str(json_object_get(document, "deleteAfterDate")), &ms))
        return OK;
    ms -= ms % 1000;
    if (was_sent && ms <= clock_now_ms())
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("deleteAfterDate"), V("it must be in the future"));
    str text = date_text(req->arena, ms);
    json_object_set_new(document, "deleteAfterDate", json_stringn(text.data, text.len));
    return OK;
}

static bool
canonical_block(struct arena *arena, str given, str *ret_name)
{
    struct net_block block;
    if (!net_parse_block(given, &block))
        return false;
    *ret_name = net_block_text(arena, &block);
    return true;
}

static const struct kind access_list_entry = {
    .name = "accessListEntry",
    .parameter = "entryValue",
    .field = "cidrBlock",
    .decides_access = true,
    .created = EVENT_NETWORK_ENTRY_ADDED,
    .changed = EVENT_NETWORK_ENTRY_ADDED,
    .deleted = EVENT_NETWORK_ENTRY_REMOVED,
    .canonical = canonical_block,
};

/* ---- Adding ---- */

static bool
is_single(const struct net_block *block)
{
    return block->prefix == 128; /* counted in the mapped form */
}

/* The entry as it is stored and shown: a block always, and the address when there is just one in it. */
static error
read_entry(struct request *req, size_t index, const json_t *sent, str *ret_name, json_t **ret_entry)
{
    struct net_block block;
    const json_t *given_block = json_object_get(sent, "cidrBlock"), *given_address = json_object_get(sent, "ipAddress");
    str own = id_text(req->arena, req->project);
    if ((given_block == NULL) == (given_address == NULL))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "[%zu]", index)),
                    V("send either cidrBlock or ipAddress, not both"));
    if (!net_parse_block(json_str(given_block != NULL ? given_block : given_address), &block) ||
        (given_address != NULL && !is_single(&block)))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "[%zu].ipAddress", index)),
                    V("it must be a single address"));
    json_t *entry = json_in(req->arena, json_copy((json_t *)sent));
    str name = net_block_text(req->arena, &block), address = net_address_text(req->arena, &block.base);
    json_object_set_new(entry, "cidrBlock", json_stringn(name.data, name.len));
    if (is_single(&block))
        json_object_set_new(entry, "ipAddress", json_stringn(address.data, address.len));
    json_object_set_new(entry, "groupId", json_stringn(own.data, own.len));
    TRY(access_check_end(req, entry, true));
    *ret_name = name;
    *ret_entry = entry;
    return OK;
}

static error
answer_page(struct request *req)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(crud_list.bind(req, &params));
    TRY(tx_query(req->tx, crud_list.statement, &params, &rows, NULL));
    return crud_list.answer(req, &rows);
}

/* An entry that is there gets the new comment and end: whoever sends a list again means it as it is now. */
static error
entries_add(struct request *req)
{
    struct resource_draft draft = { .organization = req->organization,
                                    .scope = req->project,
                                    .kind = str_from(access_list_entry.name) };
    struct project project;
    json_t *added = json_in(req->arena, json_array()), *resources = json_in(req->arena, json_array()), *entry = NULL;
    const json_t *sent;
    size_t index;
    int64_t new_count;
    str name;
    json_array_foreach(req->body, index, sent)
    {
        TRY(read_entry(req, index, sent, &name, &entry));
        str own = id_text(req->arena, id_new(store_cell(req->api->store)));
        json_array_append(added, entry);
        json_array_append_new(resources, json_pack("{s:s%, s:s%, s:O}", "id", own.data, own.len, "name", name.data,
                                                   name.len, "document", entry));
    }
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(store_access_touch(req->tx, req->project, &draft.access_generation));
    TRY(policy_check_all(req, draft.kind, added));
    TRY(store_resource_put_all(req->tx, &draft, json_text(req->arena, resources), &new_count));
    if (new_count > 0)
        TRY(project_limit_check_after(req, LIMIT_NETWORK_ENTRIES));
    TRY(request_event(req, EVENT_NETWORK_ENTRY_ADDED, NULL, added));
    return answer_page(req);
}

/* ---- Status ---- */

static error
bind_status(struct request *req, struct params *params)
{
    str name;
    if (!canonical_block(req->arena, request_path_value(req, "entryValue"), &name))
        return request_not_found(req);
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_NAME, name);
    return OK;
}

static error
answer_status(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    str state = rows_text(rows, 0, C_STATE);
    answer_entity(req, str_format(req->arena, "{\"STATUS\":\"%.*s\"}", STR_ARG(state)), 0);
    return OK;
}
