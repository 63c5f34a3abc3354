/* SPDX-License-Identifier: Apache-2.0 */
/* Organizations: who pays, who decides, and what projects belong to. */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "family/families.h"
#include "family/identity/invitations.h"
#include "family/takes_along.h"
#include "family/tenant/projects.h"
#include "store/auth/principal.h"
#include "store/identity/member.h"
#include "store/takes_along.h"
#include "store/tenant/organization.h"

#define ORGANIZATION_NAME "^(?! )[\\p{L}\\p{N}\\-_.(),:&@+' ]{1,64}(?<! )$"
#define CREDENTIAL_TEXT   "^[\\p{L}\\p{N}\\-_.,' ]*$"

enum { MAX_SECRET_HOURS = 8760 };

static const struct field organization_fields[] = {
    ID("id", "Identifier of the organization.", READ_ONLY | ALWAYS),
    TEXT("name", "Label of the organization.", REQUIRED | ALWAYS, .min = 1, .max = 64, .pattern = ORGANIZATION_NAME,
         .example = "\"Example Ltd\""),
    BOOL("isDeleted", "Whether the organization is being removed.", READ_ONLY | ALWAYS),
    BOOL("skipDefaultAlertsSettings", "Whether new projects start without the default alert configurations.", 0,
         .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema organization_schema = { "Organization", "An organization.", organization_fields };

static const struct field first_key_fields[] = {
    TEXT("desc", "What the key is for.", REQUIRED, .min = 1, .max = 250, .example = "\"first key\""),
    LIST("roles", "Roles in the new organization.", REQUIRED, .min = 1, .max = 7, .item = TYPE_TEXT,
         .one_of = organization_role_names, .example = "[\"ORG_OWNER\"]"),
    END_OF_FIELDS,
};
static const struct schema first_key_schema = { "FirstApiKey", "An API key to start with.", first_key_fields };

static const struct field first_account_fields[] = {
    TEXT("name", "Label of the service account.", REQUIRED, .min = 1, .max = 64, .pattern = CREDENTIAL_TEXT,
         .example = "\"automation\""),
    TEXT("description", "What the service account is for.", REQUIRED, .min = 1, .max = 250, .pattern = CREDENTIAL_TEXT,
         .example = "\"Runs deployments\""),
    LIST("roles", "Roles in the new organization.", REQUIRED, .min = 1, .max = 7, .item = TYPE_TEXT,
         .one_of = organization_role_names, .example = "[\"ORG_OWNER\"]"),
    INTEGER("secretExpiresAfterHours", "Hours until its first secret expires.", REQUIRED, .min = 8,
            .max = MAX_SECRET_HOURS, .example = "720"),
    END_OF_FIELDS,
};
static const struct schema first_account_schema = { "FirstServiceAccount", "A service account to start with.",
                                                    first_account_fields };

static const struct field create_fields[] = {
    TEXT("name", "Label of the organization.", REQUIRED, .min = 1, .max = 64, .pattern = ORGANIZATION_NAME,
         .example = "\"Example Ltd\""),
    ID("orgOwnerId", "Person who becomes owner of the organization.", 0),
    OBJECT("apiKey", "An API key to create with the organization.", 0, .of = &first_key_schema),
    OBJECT("serviceAccount", "A service account to create with the organization.", 0, .of = &first_account_schema),
    BOOL("skipDefaultAlertsSettings", "Whether new projects start without the default alert configurations.", 0,
         .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema create_schema = { "CreateOrganization", "A new organization and its first credentials.",
                                             create_fields };

static const struct field created_key_fields[] = {
    ID("id", "Identifier of the API key.", READ_ONLY),
    TEXT("publicKey", "User name for Digest authentication.", READ_ONLY),
    TEXT("privateKey", "Password for Digest authentication, shown this once.", READ_ONLY),
    TEXT("desc", "What the key is for.", READ_ONLY),
    LIST("roles", "Roles in the new organization.", READ_ONLY, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema created_key_schema = { "CreatedApiKey", "An API key with its private part.",
                                                  created_key_fields };

static const struct field created_account_fields[] = {
    TEXT("clientId", "Client id for the token endpoint.", READ_ONLY),
    TEXT("clientSecret", "Client secret for the token endpoint, shown this once.", READ_ONLY),
    TEXT("name", "Label of the service account.", READ_ONLY),
    LIST("roles", "Roles in the new organization.", READ_ONLY, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema created_account_schema = { "CreatedServiceAccount",
                                                      "A service account with its first secret.",
                                                      created_account_fields };

static const struct field created_fields[] = {
    OBJECT("organization", "The new organization.", READ_ONLY | ALWAYS, .of = &organization_schema),
    OBJECT("apiKey", "The API key that was asked for.", READ_ONLY, .of = &created_key_schema),
    OBJECT("serviceAccount", "The service account that was asked for.", READ_ONLY, .of = &created_account_schema),
    ID("orgOwnerId", "Person who owns the organization.", READ_ONLY),
    ID("federationSettingsId", "Identifier of the organization's federation settings.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema created_schema = { "CreatedOrganization", "A new organization and its first credentials.",
                                              created_fields };

static const struct field list_query[] = {
    TEXT("name", "Text that the name must contain; upper and lower case are the same.", 0, .max = 64),
    END_OF_FIELDS,
};

static const struct read organization_get, organization_list;
static handler organization_create, organization_update, organization_delete;

// clang-format off
static const struct endpoint organization_endpoints[] = {
    { DELETE, "/orgs/{orgId}", S46, ANY_OF(ORG_OWNER), "deleteOrganization",
      "Remove one organization",
      "Removes the organization with its credentials, teams and settings; its events are kept. While the organization has "
      "projects, the answer is 409 and says how many." SAYS_WHAT_GOES,
      .shape = SHAPE_NOTHING, .flags = LOSES_DATA, .run = organization_delete, .tried = &takes_along_schema },
    { GET, "/orgs/{orgId}", S46, ANY_OF(ORG_MEMBER), "getOrganization",
      "Return one organization",
      "Shows the organization and links to everything in it.",
      .read = &organization_get, .response = &organization_schema },
    { PATCH, "/orgs/{orgId}", S46, ANY_OF(ORG_OWNER), "updateOrganization",
      "Change one organization",
      "Changes the name or the default alert setting. Fields that are not sent stay as they are.",
      .run = organization_update, .request = &organization_schema, .response = &organization_schema,
      .example = "{\"name\": \"Example Holding\"}" },
    { GET, "/orgs/{orgId}/groups", S46, ANY_OF(ORG_MEMBER), "listOrganizationProjects",
      "Return all projects in one organization",
      "Lists the projects of the organization that the caller can see, oldest first: all of them if a role in the organization "
      "allows it, else those in which the caller holds a role.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}", 
      .run = project_list_of_organization, .response = &project_schema, .query = projects_of_organization_query, .flags = MAIN_LINK },
    { GET, "/orgs/{orgId}/invites", S46, ANY_OF(ORG_OWNER), "listOrganizationInvitations",
      "Return all open invitations to one organization",
      "Lists the people who were invited to the organization and have not answered.",
      .flags = DEPRECATED, .shape = SHAPE_LIST,
      .item = "/orgs/{orgId}/invites/{invitationId}", .read = &invitation_list, .response = &organization_invitation_schema,
      .query = invitations_query },
    { PATCH, "/orgs/{orgId}/invites", S46, ANY_OF(ORG_OWNER), "updateOrganizationInvitations",
      "Change one invitation to an organization, found by its address",
      "Changes the roles that an invited person gets. The invitation is found by the e-mail address in the body.",
      .flags = DEPRECATED, .run = invitation_update_by_name,
      .request = &organization_invitation_schema, .response = &organization_invitation_schema,
      .example = "{\"username\": \"jo@example.org\", \"roles\": [\"ORG_READ_ONLY\"]}" },
    { POST, "/orgs/{orgId}/invites", S46, ANY_OF(ORG_OWNER), "createOrganizationInvitation",
      "Invite one person to one organization",
      "Makes an invitation for the person at that address. It works once, for 30 days. Its token is mailed to the address and "
      "shown to nobody else.",
      .success = 200, .flags = DEPRECATED, .item = "/orgs/{orgId}/invites/{invitationId}", 
      .run = invitation_create, .request = &organization_invitation_schema, .response = &organization_invitation_schema,
      .example = "{\"username\": \"jo@example.org\", \"roles\": [\"ORG_MEMBER\"]}" },
    { DELETE, "/orgs/{orgId}/invites/{invitationId}", S46, ANY_OF(ORG_OWNER), "deleteOrganizationInvitation",
      "Take back one invitation to an organization",
      "Its token stops working at once.",
      .shape = SHAPE_NOTHING, .flags = DEPRECATED, .run = invitation_delete },
    { GET, "/orgs/{orgId}/invites/{invitationId}", S46, ANY_OF(ORG_OWNER), "getOrganizationInvitation",
      "Return one invitation to an organization",
      "Shows who was invited, by whom, with which roles, and until when.",
      .flags = DEPRECATED, .read = &invitation_get, .response = &organization_invitation_schema },
    { PATCH, "/orgs/{orgId}/invites/{invitationId}", S46, ANY_OF(ORG_OWNER), "updateOrganizationInvitation",
      "Change one invitation to an organization",
      "Changes the roles that the invited person gets; a list that is sent replaces the old one.",
      .flags = DEPRECATED, .run = invitation_update,
      .request = &organization_invitation_change_schema, .response = &organization_invitation_schema,
      .example = "{\"roles\": [\"ORG_READ_ONLY\"]}" },

    { GET, "/orgs", S47, ANY_CALLER, "listOrganizations",
      "Return all organizations that the caller belongs to",
      "Lists the organizations in which the caller holds a role, oldest first.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}", .read = &organization_list, .response = &organization_schema,
      .query = list_query },
    { POST, "/orgs", S47, ANYWHERE(ORG_OWNER), "createOrganization",
      "Create one organization",
      "Creates an organization with its first credentials or its first owner; the request must name at least one of them. "
      "Secrets are in this answer and are never shown again. Needs the owner role in an existing organization.",
      .item = "/orgs/{orgId}", .run = organization_create, .request = &create_schema, .response = &created_schema,
      .example = "{\"name\": \"Example Ltd\", \"serviceAccount\": {\"name\": \"automation\", \"description\": \"Runs deployments\", "
                 "\"roles\": [\"ORG_OWNER\"], \"secretExpiresAfterHours\": 720}}" },
};
// clang-format on

FAMILY(organizations_family, "organizations", "Organizations", "Organizations and invitations to them.",
       organization_endpoints);

/* ---- reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    return OK;
}

static const struct read organization_get = { SQL_ORGANIZATION_GET, bind_get, answer_row };

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_CALLER, req->caller->id);
    list_bind(req, params);
    params_text(params, P_NAME, request_query(req, "name"));
    request_bind_reach(req, params);
    return OK;
}

static const struct read organization_list = { SQL_ORGANIZATION_LIST, bind_list, list_answer };

/* ---- changing ---- */

static error
read_document(struct request *req, id organization, str *ret_text, int64_t *ret_revision, json_t **ret_json)
{
    TRY(store_organization_document(req->tx, organization, ret_text, ret_revision));
    *ret_json = json_parse_own(req->arena, *ret_text);
    return *ret_json == NULL ? fail(req->arena, OVERLOADED) : OK;
}

static str
settings_text(struct request *req, json_t *current)
{
    json_t *skip = json_object_get(req->body, "skipDefaultAlertsSettings");
    if (skip != NULL)
        json_object_set(current, "skipDefaultAlertsSettings", skip);
    return json_text(req->arena, current);
}

static error
grant_roles(struct request *req, id principal, id organization, const json_t *roles)
{
    for (size_t i = 0; i < json_array_size(roles); i++)
        TRY(add_role_grant(req->tx, principal, organization, ID_NONE, json_str(json_array_get(roles, i))));
    return OK;
}

static error
create_first_key(struct request *req, id organization, const json_t *wanted, json_t *answer)
{
    struct new_api_key key;
    str description = json_str(json_object_get(wanted, "desc"));
    json_t *roles = json_object_get(wanted, "roles");
    TRY(auth_create_api_key(req->api->auth, req->tx, organization, description, &key));
    TRY(grant_roles(req, key.id, organization, roles));
    json_t *shown =
        json_pack("{s:s, s:s, s:s, s:s, s:O}", "id", id_text(req->arena, key.id).data, "publicKey", key.public_key.data,
                  "privateKey", key.private_key.data, "desc", description.data, "roles", roles);
    json_object_set_new(answer, "apiKey", shown);
    json_t *event = json_in(req->arena, json_pack("{s:s, s:s, s:O}", "publicKey", key.public_key.data, "desc",
                                                  description.data, "roles", roles));
    return request_event_in(req, EVENT_API_KEY_CREATED, organization, ID_NONE, NULL, event);
}

static error
create_first_account(struct request *req, id organization, const json_t *wanted, json_t *answer)
{
    struct new_service_account account;
    str name = json_str(json_object_get(wanted, "name"));
    json_t *roles = json_object_get(wanted, "roles");
    int64_t hours = json_integer_value(json_object_get(wanted, "secretExpiresAfterHours"));
    TRY(auth_create_service_account(req->api->auth, req->tx, organization, name,
                                    json_str(json_object_get(wanted, "description")),
                                    clock_now_ms() + hours * 3600 * 1000, &account));
    TRY(grant_roles(req, account.id, organization, roles));
    json_t *shown = json_pack("{s:s, s:s, s:s, s:O}", "clientId", account.client_id.data, "clientSecret",
                              account.secret.data, "name", name.data, "roles", roles);
    json_object_set_new(answer, "serviceAccount", shown);
    json_t *event = json_in(req->arena, json_pack("{s:s, s:s, s:O}", "clientId", account.client_id.data, "name",
                                                  name.data, "roles", roles));
    return request_event_in(req, EVENT_SERVICE_ACCOUNT_CREATED, organization, ID_NONE, NULL, event);
}

static error
add_owner(struct request *req, id organization, json_t *answer)
{
    str text = json_str(json_object_get(req->body, "orgOwnerId"));
    id owner;
    if (text.len == 0 || !id_parse(text, &owner))
        return OK;
    /* Whom the caller can see, and by the names that they see: strangers have to be invited. */
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CALLER, req->caller->id);
    params_id(&params, P_PERSON, owner);
    params_text(&params, P_NAME, STR_EMPTY);
    request_bind_reach(req, &params);
    TRY(store_read(req->api->store, req->arena, SQL_PERSON_VISIBLE, &params, &rows));
    if (rows.count == 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("orgOwnerId"),
                    V("none of your organizations has this person"));
    const json_t *person = json_parse_own(req->arena, rows_text(&rows, 0, C_DOCUMENT));
    struct member_name name = { .first = json_str(json_object_get(person, "firstName")),
                                .last = json_str(json_object_get(person, "lastName")) };
    TRY(store_member_set_name(req->tx, organization, owner, &name));
    json_object_set_new(answer, "orgOwnerId", json_stringn(text.data, text.len));
    return add_role_grant(req->tx, owner, organization, ID_NONE, STR("ORG_OWNER"));
}

static error
organization_create(struct request *req)
{
    json_t *key = json_object_get(req->body, "apiKey"), *account = json_object_get(req->body, "serviceAccount");
    if (key == NULL && account == NULL && json_object_get(req->body, "orgOwnerId") == NULL)
        return fail(req->arena, MISSING_ATTRIBUTE, V("orgOwnerId, apiKey or serviceAccount"));
    uint16_t cell = store_cell(req->api->store);
    id organization = id_new(cell), federation = id_new(cell);
    json_t *answer = json_in(req->arena, json_object()), *settings = json_in(req->arena, json_object()), *created;
    str document;
    int64_t revision;
    TRY(tx_set_organization(req->tx, organization));
    /* Made through the API, so the access list is not required unless somebody asks for it. */
    TRY(store_organization_add(req->tx, organization, federation, json_str(json_object_get(req->body, "name")), false,
                               settings_text(req, settings)));
    TRY(read_document(req, organization, &document, &revision, &created));
    TRY(request_event_in(req, EVENT_ORGANIZATION_CREATED, organization, ID_NONE, NULL, created));
    TRY(add_owner(req, organization, answer));
    if (key != NULL)
        TRY(create_first_key(req, organization, key, answer));
    if (account != NULL)
        TRY(create_first_account(req, organization, account, answer));
    json_object_set(answer, "organization", created);
    json_object_set_new(answer, "federationSettingsId", json_string(id_text(req->arena, federation).data));
    answer_created(req, json_text(req->arena, answer), id_text(req->arena, organization), revision);
    return OK;
}

static error
organization_update(struct request *req)
{
    struct organization current;
    str document, ignored;
    int64_t revision;
    json_t *before, *after;
    TRY(store_organization_lock(req->tx, req->organization, &current));
    TRY(request_check_match(req, current.revision));
    TRY(read_document(req, req->organization, &ignored, &revision, &before));
    const json_t *name = json_object_get(req->body, "name");
    json_t *settings = json_parse_own(req->arena, current.settings);
    TRY(store_organization_update(req->tx, req->organization, name != NULL ? json_str(name) : current.name,
                                  settings_text(req, settings)));
    TRY(read_document(req, req->organization, &document, &revision, &after));
    TRY(request_event(req, EVENT_ORGANIZATION_UPDATED, before, after));
    answer_entity(req, document, revision);
    return OK;
}

static error
organization_delete(struct request *req)
{
    struct organization current;
    str document, goes;
    int64_t revision;
    json_t *before;
    TRY(store_organization_lock_to_delete(req->tx, req->organization));
    TRY(store_organization_lock(req->tx, req->organization, &current));
    TRY(request_check_match(req, current.revision));
    if (current.project_count > 0)
        return fail(req->arena, ORGANIZATION_NOT_EMPTY, V(current.name), V(current.project_count));
    TRY(read_document(req, req->organization, &document, &revision, &before));
    TRY(store_organization_takes_along(req->tx, req->organization, &goes));
    TRY(request_event(req, EVENT_ORGANIZATION_DELETED, before, NULL));
    TRY(authority_changed(req->tx, "org", req->organization));
    TRY(store_organization_delete(req->tx, req->organization));
    answer_nothing(req);
    answer_takes_along(req, goes);
    return OK;
}
