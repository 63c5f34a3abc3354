/* SPDX-License-Identifier: Apache-2.0 */
/* Key pairs for programs. A key belongs to an organization; projects give it roles. */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "family/credential/credentials.h"
#include "store/auth/principal.h"

static const struct field key_fields[] = {
    ID("id", "Identifier of the API key.", READ_ONLY | ALWAYS),
    TEXT("publicKey", "User name for Digest authentication.", READ_ONLY | ALWAYS),
    TEXT("privateKey",
         "Password for Digest authentication. Only the answer that creates it shows it whole, others mask it.",
         READ_ONLY | ALWAYS),
    TEXT("desc", "What the key is for.", READ_ONLY | ALWAYS),
    LIST("roles", "Roles of the key.", READ_ONLY | ALWAYS, .of = &role_assignment_schema),
    END_OF_FIELDS,
};
static const struct schema key_schema = { "ApiKey", "An API key.", key_fields };

/* What is sent: role names, because the path says where they are granted. */
#define SENT_KEY_FIELDS(role_names, role_example)                                                             \
    {                                                                                                         \
        TEXT("desc", "What the key is for.", REQUIRED, .min = 1, .max = 250, .example = "\"nightly job\""),   \
            LIST("roles", "Roles in the organization or project of the path.", REQUIRED, .min = 1, .max = 32, \
                 .item = TYPE_TEXT, .one_of = role_names, .example = role_example),                           \
            END_OF_FIELDS,                                                                                    \
    }
static const struct field organization_key_fields[] = SENT_KEY_FIELDS(organization_role_names, "[\"ORG_READ_ONLY\"]");
static const struct schema organization_key_schema = { "OrganizationApiKeyRequest", "An API key of an organization.",
                                                       organization_key_fields };
static const struct field project_key_fields[] = SENT_KEY_FIELDS(project_role_names, "[\"GROUP_READ_ONLY\"]");
static const struct schema project_key_schema = { "ProjectApiKeyRequest", "An API key of a project.",
                                                  project_key_fields };

static const struct field grant_fields[] = {
    LIST("roles", "Roles to grant in the project.", REQUIRED, .min = 1, .max = 32, .item = TYPE_TEXT,
         .one_of = project_role_names, .example = "[\"GROUP_READ_ONLY\"]"),
    END_OF_FIELDS,
};
static const struct schema grant_schema = { "ProjectApiKeyGrant", "Roles for a key that exists.", grant_fields };

/* ---- reading ---- */

static const struct read key_list = { SQL_API_KEY_LIST, credential_bind_list, list_answer };

static const struct read key_get = { SQL_API_KEY_GET, credential_bind_get, answer_row };

static handler key_create, key_update, key_add_to_project;

// clang-format off
static const struct endpoint api_keys_endpoints[] = {
    { GET, "/groups/{groupId}/apiKeys", S50, ANY_OF(PROJECT_READ_ONLY), "listGroupApiKeys",
      "Return all API keys in one project",
      "Lists the keys that hold roles in the project. Private keys are never returned.",
      .shape = SHAPE_LIST, .read = &key_list, .response = &key_schema },
    { POST, "/groups/{groupId}/apiKeys", S50, ANY_OF(PROJECT_ACCESS_MANAGER), "createGroupApiKey",
      "Create one API key in one project",
      "Creates a key in the project's organization and grants it roles here. The private key is only in this answer.",
      .success = 200, .run = key_create, .request = &project_key_schema, .response = &key_schema,
      .example = "{\"desc\": \"nightly job\", \"roles\": [\"GROUP_READ_ONLY\"]}" },
    { DELETE, "/groups/{groupId}/apiKeys/{apiUserId}", S50, ANY_OF(PROJECT_ACCESS_MANAGER), "removeGroupApiKey",
      "Remove one API key from one project",
      "Takes away the key's roles in this project. The key stays in the organization.",
      .shape = SHAPE_NOTHING, .run = credential_delete },
    { PATCH, "/groups/{groupId}/apiKeys/{apiUserId}", S50, ANY_OF(PROJECT_ACCESS_MANAGER), "updateGroupApiKeyRoles",
      "Update the roles of one API key in one project",
      "Replaces the description or the roles that the key holds in this project.",
      .run = key_update, .request = &project_key_schema, .response = &key_schema,
      .example = "{\"desc\": \"weekly job\"}" },
    { POST, "/groups/{groupId}/apiKeys/{apiUserId}", S50, ANY_OF(PROJECT_OWNER), "addGroupApiKey",
      "Add one API key to one project",
      "Grants an existing key of the organization roles in this project.",
      .shape = SHAPE_NOTHING, .run = key_add_to_project, .request = &grant_schema,
      .example = "{\"roles\": [\"GROUP_READ_ONLY\"]}" },

    { GET, "/orgs/{orgId}/apiKeys", S51, ANY_OF(ORG_MEMBER), "listOrgApiKeys",
      "Return all API keys in one organization",
      "Lists the organization's keys with their roles. Private keys are never returned.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/apiKeys/{apiUserId}", .read = &key_list, .response = &key_schema },
    { POST, "/orgs/{orgId}/apiKeys", S51, ANY_OF(ORG_OWNER), "createOrgApiKey",
      "Create one API key in one organization",
      "Creates a key with roles in the organization. The private key is only in this answer. Keep it: it cannot be read again.",
      .success = 200, .item = "/orgs/{orgId}/apiKeys/{apiUserId}", .run = key_create, .request = &organization_key_schema, .response = &key_schema,
      .example = "{\"desc\": \"nightly job\", \"roles\": [\"ORG_READ_ONLY\"]}" },
    { DELETE, "/orgs/{orgId}/apiKeys/{apiUserId}", S51, ANY_OF(ORG_OWNER), "deleteOrgApiKey",
      "Delete one API key",
      "Deletes the key and everything granted to it. Requests with it fail from now on.",
      .shape = SHAPE_NOTHING, .run = credential_delete },
    { GET, "/orgs/{orgId}/apiKeys/{apiUserId}", S51, ANY_OF(ORG_MEMBER), "getOrgApiKey",
      "Return one API key",
      "Returns one key with its roles; the private key is masked.",
      .read = &key_get, .response = &key_schema },
    { PATCH, "/orgs/{orgId}/apiKeys/{apiUserId}", S51, ANY_OF(ORG_OWNER), "updateOrgApiKey",
      "Update one API key",
      "Changes the description or the organization roles of one key. The key pair cannot be changed: create a new one instead.",
      .run = key_update, .request = &organization_key_schema, .response = &key_schema,
      .example = "{\"desc\": \"weekly job\"}" },
    { GET, "/orgs/{orgId}/apiKeys/{apiUserId}/accessList", S51, ANY_OF(ORG_MEMBER),
      "listOrgApiKeyAccessListEntries",
      "Return the access list of one API key",
      "Lists the addresses and blocks from which the key can be used, and when each was last used.",
      .shape = SHAPE_LIST, .item = "/orgs/{orgId}/apiKeys/{apiUserId}/accessList/{ipAddress}",
      .run = access_list_page, .response = &key_access_entry_schema },
    { POST, "/orgs/{orgId}/apiKeys/{apiUserId}/accessList", S51, ANY_OF(ORG_OWNER),
      "createOrgApiKeyAccessListEntry",
      "Add entries to the access list of one API key",
      "Adds addresses or blocks from which the key can be used; the others stay. Answers with the whole list.",
      .shape = SHAPE_LIST, .success = 200, .item = "/orgs/{orgId}/apiKeys/{apiUserId}/accessList/{ipAddress}",
      .run = access_list_add, .flags = BODY_IS_LIST, .request = &key_access_entry_schema,
      .response = &key_access_entry_schema, .example = "[{\"ipAddress\": \"203.0.113.10\"}]" },
    { DELETE, "/orgs/{orgId}/apiKeys/{apiUserId}/accessList/{ipAddress}", S51, ANY_OF(ORG_OWNER),
      "deleteOrgApiKeyAccessListEntry",
      "Remove one entry from an API key's access list",
      "Removes one address or block from the list. A key cannot remove the entry that it is calling from.",
      .shape = SHAPE_NOTHING, .run = access_list_remove },
    { GET, "/orgs/{orgId}/apiKeys/{apiUserId}/accessList/{ipAddress}", S51, ANY_OF(ORG_MEMBER),
      "getOrgApiKeyAccessListEntry",
      "Return one entry of an API key's access list",
      "Returns one address or block, and when and how often it was used. Write the slash of a block as %2F.",
      .run = access_list_get, .response = &key_access_entry_schema },
};
// clang-format on

FAMILY(api_keys_family, "api-keys", "API keys",
       "Key pairs for programs: the public key names the caller; the private key is the password and is shown once.",
       api_keys_endpoints);

/* ---- changing ---- */

static error
key_create(struct request *req)
{
    struct new_api_key made;
    json_t *after;
    const json_t *roles = json_object_get(req->body, "roles");
    TRY(check_grantable(req, roles));
    TRY(auth_create_api_key(req->api->auth, req->tx, req->organization, json_str(json_object_get(req->body, "desc")),
                            &made));
    struct credential credential = { .kind = CREDENTIAL_API_KEY, .id = made.id };
    if (id_is_there(req->project)) /* whoever works in a project belongs to its organization */
        TRY(add_role_grant(req->tx, made.id, req->organization, ID_NONE, STR("ORG_MEMBER")));
    TRY(store_credential_set_roles(req->tx, req->organization, made.id, req->project, roles));
    TRY(credential_json(req, &credential, &after));
    TRY(request_event(req, EVENT_API_KEY_CREATED, NULL, after));
    TRY(credential_answer(req, &credential));
    json_object_set_new(after, "privateKey", json_stringn(made.private_key.data, made.private_key.len));
    answer_created(req, json_text(req->arena, after), id_text(req->arena, made.id), req->answer.revision);
    return OK;
}

static error
key_update(struct request *req)
{
    struct credential credential;
    json_t *before, *after;
    bool renames = json_object_get(req->body, "desc") != NULL;
    TRY(renames ? credential_lock_itself(req, &credential) : credential_lock(req, &credential));
    TRY(credential_json(req, &credential, &before));
    TRY(store_credential_describe(req->tx, credential.kind, req->organization, credential.id, STR_EMPTY,
                                  json_str(json_object_get(req->body, "desc"))));
    TRY(credential_replace_roles(req, &credential, json_object_get(req->body, "roles")));
    TRY(credential_json(req, &credential, &after));
    TRY(request_event(req, EVENT_API_KEY_UPDATED, before, after));
    return credential_answer(req, &credential);
}

/* A key of the organization gets roles in the project. */
static error
key_add_to_project(struct request *req)
{
    struct credential credential;
    json_t *after;
    TRY(credential_lock_in_organization(req, &credential));
    TRY(credential_add_roles(req, &credential, json_object_get(req->body, "roles")));
    TRY(credential_json(req, &credential, &after));
    TRY(store_credential_changed(req->tx, req->organization, credential.id));
    TRY(request_event(req, EVENT_API_KEY_UPDATED, NULL, after));
    answer_nothing(req);
    return OK;
}
