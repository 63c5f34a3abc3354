/* SPDX-License-Identifier: Apache-2.0 */
/* The root of the API: who is calling, and the links from which everything else is reached. */
#include "api/api.h"
#include "family/auth/roles.h"
#include "family/families.h"

static const struct field caller_fields[] = {
    ID("id", "Identifier of the caller.", READ_ONLY | ALWAYS),
    TEXT("type", "Kind of credentials that were used.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "SERVICE_ACCOUNT", "API_KEY", "USER", NULL }),
    TEXT("name", "Client id, public key or user name.", READ_ONLY | ALWAYS),
    LIST("roles", "Roles granted to the caller.", READ_ONLY | ALWAYS, .of = &role_assignment_schema),
    LIST("accessList", "Addresses from which these credentials can be used; empty for any.", READ_ONLY | ALWAYS,
         .item = TYPE_CIDR),
    END_OF_FIELDS,
};
static const struct schema caller_schema = { "Caller", "The credentials that this request was made with.",
                                             caller_fields };

static const struct field root_fields[] = {
    TEXT("appName", "Name of the service.", READ_ONLY | ALWAYS),
    TEXT("build", "Version of the service.", READ_ONLY | ALWAYS),
    OBJECT("caller", "The credentials that this request was made with.", READ_ONLY | ALWAYS, .of = &caller_schema),
    END_OF_FIELDS,
};
static const struct schema root_schema = { "Root", "The service, and who is calling it.", root_fields };

static handler get_root;

// clang-format off
static const struct endpoint root_endpoints[] = {
    { GET, "", S60, ANY_CALLER, "getRoot",
      "Return the root of the API",
      "Says who is calling, their roles, and from which addresses the credentials can be used. Links lead to the collections, "
      "and from there to every other resource.",
      .flags = NO_ETAG, .run = get_root, .response = &root_schema },
};
// clang-format on

FAMILY(root_family, "root", "Root", "The start of the API.", root_endpoints);

static void
add_grants(struct buf *out, const struct principal *caller)
{
    bool first = true;
    for (size_t i = 0; i < caller->grant_count; i++) {
        const struct grant *grant = &caller->grants[i];
        char place[ID_DIGITS + 1];
        bool in_project = id_is_there(grant->project);
        id_write(in_project ? grant->project : grant->organization, place);
        for (int role = 0; role < ROLE_COUNT; role++) {
            if ((grant->roles & role_rows[role].bit) == 0)
                continue;
            buf_format(out, "%s{\"%s\":\"%s\",\"roleName\":\"%s\"}", first ? "" : ",", in_project ? "groupId" : "orgId",
                       place, role_rows[role].name);
            first = false;
        }
    }
}

static error
get_root(struct request *req)
{
    static const char *const types[] = {
        [PRINCIPAL_SERVICE_ACCOUNT] = "SERVICE_ACCOUNT",
        [PRINCIPAL_API_KEY] = "API_KEY",
        [PRINCIPAL_PERSON] = "USER",
    };
    const struct principal *caller = req->caller;
    char caller_id[ID_DIGITS + 1];
    id_write(caller->id, caller_id);
    struct buf out = buf_in(req->arena, 1024 * 1024);
    buf_format(&out, "{\"appName\":\"Reeve\",\"build\":\"%s\",\"caller\":{\"id\":\"%s\",\"type\":\"%s\",\"name\":",
               REEVE_VERSION, caller_id, types[caller->kind]);
    buf_add_json(&out, caller->name);
    buf_add_text(&out, ",\"roles\":[");
    add_grants(&out, caller);
    buf_add_text(&out, "],\"accessList\":[");
    for (size_t i = 0; i < caller->block_count; i++)
        buf_format(&out, "%s\"%s\"", i == 0 ? "" : ",", net_block_text(req->arena, &caller->blocks[i]).data);
    buf_add_text(&out, "]}}");
    answer_entity(req, buf_str(&out), 0);
    if (caller->kind == PRINCIPAL_PERSON)
        answer_relate(req, "/user", str_format(req->arena, "/users/%s", caller_id));
    return OK;
}
