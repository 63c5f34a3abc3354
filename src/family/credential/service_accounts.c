/* SPDX-License-Identifier: Apache-2.0 */
/* The recommended credentials for programs: a client id and a secret are exchanged for short-lived tokens. */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "family/credential/credentials.h"
#include "family/project_limits.h"
#include "store/auth/principal.h"
#include "store/federation/federation.h"
#include "store/tenant/organization.h"

#define ACCOUNT_TEXT "^[\\p{L}\\p{N}\\-_.,' ]*$"

/* Two at a time: enough to change over without a gap, few enough to know them all. */
enum { MAX_SECRETS = 2, MIN_SECRET_HOURS = 8, MAX_SECRET_HOURS = 8760, MAX_TRUSTED = 10, HOUR_MS = 3600 * 1000 };

static const struct field secret_fields[] = {
    ID("id", "Identifier of the secret.", READ_ONLY | ALWAYS),
    DATE("createdAt", "When the secret was created.", READ_ONLY | ALWAYS),
    DATE("expiresAt", "When the secret stops working.", READ_ONLY | ALWAYS),
    DATE("lastUsedAt", "When a token was last fetched with it, to the minute.", READ_ONLY),
    TEXT("maskedSecretValue", "Its last characters.", READ_ONLY | ALWAYS),
    TEXT("secret", "The secret itself, shown only in the answer that creates it.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema secret_schema = { "ServiceAccountSecret", "A secret of a service account.", secret_fields };

static const struct field new_secret_fields[] = {
    INTEGER("secretExpiresAfterHours", "Hours until the secret expires.", REQUIRED, .min = MIN_SECRET_HOURS,
            .max = MAX_SECRET_HOURS, .example = "720"),
    END_OF_FIELDS,
};
static const struct schema new_secret_schema = { "ServiceAccountSecretRequest", "A secret to create.",
                                                 new_secret_fields };

static const struct field trusted_fields[] = {
    ID("identityProviderId", "An identity provider for programs (`idpType` WORKLOAD) of the organization's federation.",
       REQUIRED | ALWAYS),
    TEXT("subject", "Whom its tokens name, exactly, in the provider's `userClaim`.", REQUIRED | ALWAYS, .min = 1,
         .max = 255, .example = "\"repo:example/shop:ref:refs/heads/main\""),
    END_OF_FIELDS,
};
static const struct schema trusted_schema = { "TrustedIdentity", "A program that may come as a service account.",
                                              trusted_fields };

/* The same account in an organization and in a project; only the roles that it can hold there differ. */
#define ACCOUNT_FIELDS(role_names, role_example)                                                                 \
    {                                                                                                            \
        TEXT("clientId", "Client id for the token endpoint.", READ_ONLY | ALWAYS),                               \
            TEXT("name", "Label of the service account.", REQUIRED | ALWAYS, .min = 1, .max = 64,                \
                 .pattern = ACCOUNT_TEXT, .example = "\"automation\""),                                          \
            TEXT("description", "What the service account is for.", REQUIRED | ALWAYS, .min = 1, .max = 250,     \
                 .pattern = ACCOUNT_TEXT, .example = "\"Runs deployments\""),                                    \
            DATE("createdAt", "When the service account was created.", READ_ONLY | ALWAYS),                      \
            LIST("roles", "Its roles in the organization or project of the path.", REQUIRED | ALWAYS, .min = 1,  \
                 .max = 32, .item = TYPE_TEXT, .one_of = role_names, .example = role_example),                   \
            INTEGER("secretExpiresAfterHours", "Hours until its first secret expires.",                          \
                    REQUIRED | CREATE_ONLY | WRITE_ONLY, .min = MIN_SECRET_HOURS, .max = MAX_SECRET_HOURS,       \
                    .example = "720"),                                                                           \
            LIST("secrets", "Its secrets, masked.", READ_ONLY | ALWAYS, .of = &secret_schema),                   \
            LIST("trustedIdentities",                                                                            \
                 "Programs that get its tokens without a secret: with a token of an identity provider.", ALWAYS, \
                 .of = &trusted_schema, .max = MAX_TRUSTED),                                                     \
            END_OF_FIELDS,                                                                                       \
    }
static const struct field organization_account_fields[] = ACCOUNT_FIELDS(organization_role_names, "[\"ORG_MEMBER\"]");
static const struct schema organization_account_schema = {
    "OrganizationServiceAccount",
    "A service account and its roles in the organization.",
    organization_account_fields,
};
static const struct field project_account_fields[] = ACCOUNT_FIELDS(project_role_names, "[\"GROUP_READ_ONLY\"]");
static const struct schema project_account_schema = {
    "ProjectServiceAccount",
    "A service account and its roles in the project.",
    project_account_fields,
};

static const struct field invite_fields[] = {
    LIST("roles", "Roles in the project.", REQUIRED, .min = 1, .max = 32, .item = TYPE_TEXT,
         .one_of = project_role_names, .example = "[\"GROUP_READ_ONLY\"]"),
    END_OF_FIELDS,
};
static const struct schema invite_schema = { "ProjectRoles", "Roles to grant in a project.", invite_fields };

static const struct field account_project_fields[] = {
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    LIST("roles", "Roles of the service account in it.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema account_project_schema = { "ServiceAccountProject", "A project and the roles held in it.",
                                                      account_project_fields };

/* ---- reading ---- */

static const struct read account_list = { SQL_SERVICE_ACCOUNT_LIST, credential_bind_list, list_answer };

static const struct read account_get = { SQL_SERVICE_ACCOUNT_GET, credential_bind_get, answer_row };

static const struct read account_projects;
static handler account_create, account_update, account_invite, secret_create, secret_delete;

// clang-format off
static const struct endpoint service_accounts_endpoints[] = {
    { GET, "/groups/{groupId}/serviceAccounts", S61, ANY_OF(PROJECT_READ_ONLY), "listGroupServiceAccounts",
      "Return all service accounts in one project",
      "Lists the service accounts that hold roles in the project. Only the last characters of secrets are shown.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .item = "/groups/{groupId}/serviceAccounts/{clientId}",
      .read = &account_list, .response = &project_account_schema },
    { POST, "/groups/{groupId}/serviceAccounts", S61, ANY_OF(PROJECT_OWNER), "createGroupServiceAccount",
      "Create one service account in one project",
      "Creates a service account with roles in this project and its first secret. The secret is only in this answer. The "
      "account also becomes a member of the organization.",
      .since = "2024-08-05", .item = "/groups/{groupId}/serviceAccounts/{clientId}", .run = account_create,
      .request = &project_account_schema, .response = &project_account_schema,
      .example = "{\"name\": \"automation\", \"description\": \"Runs deployments\", \"roles\": [\"GROUP_READ_ONLY\"], "
                 "\"secretExpiresAfterHours\": 720}" },
    { DELETE, "/groups/{groupId}/serviceAccounts/{clientId}", S61, ANY_OF(PROJECT_OWNER),
      "deleteGroupServiceAccount",
      "Remove one service account from one project",
      "Takes away the account's roles in this project. The account stays in the organization.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .run = credential_delete },
    { GET, "/groups/{groupId}/serviceAccounts/{clientId}", S61, ANY_OF(PROJECT_READ_ONLY), "getGroupServiceAccount",
      "Return one service account in one project",
      "Returns one account with its roles in this project and when each of its secrets expires.",
      .since = "2024-08-05", .read = &account_get, .response = &project_account_schema },
    { PATCH, "/groups/{groupId}/serviceAccounts/{clientId}", S61, ANY_OF(PROJECT_OWNER),
      "updateGroupServiceAccount",
      "Update one service account in one project",
      "Changes the account's name, description or roles in this project. Tokens that are already issued have the new roles at "
      "once.",
      .since = "2024-08-05", .run = account_update,
      .request = &project_account_schema, .response = &project_account_schema,
      .example = "{\"description\": \"Runs deployments at night\"}" },
    { POST, "/groups/{groupId}/serviceAccounts/{clientId}:invite", S61, ANY_OF(ORG_OWNER),
      "inviteGroupServiceAccount",
      "Add one service account to one project",
      "Grants an existing account of the organization roles in this project.",
      .success = 200, .since = "2024-08-05", .run = account_invite,
      .request = &invite_schema, .response = &project_account_schema, .example = "{\"roles\": [\"GROUP_READ_ONLY\"]}" },
    { GET, "/groups/{groupId}/serviceAccounts/{clientId}/accessList", S61, ANY_OF(PROJECT_READ_ONLY),
      "listGroupServiceAccountAccessList",
      "Return a project service account's access list",
      "Lists the addresses and blocks from which the account may call.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .run = access_list_page,
      .response = &access_entry_schema },
    { POST, "/groups/{groupId}/serviceAccounts/{clientId}/accessList", S61, ANY_OF(PROJECT_ACCESS_MANAGER),
      "createGroupServiceAccountAccessList",
      "Add entries to a project service account's access list",
      "Adds addresses or blocks from which the account may call; the others stay. Answers with the whole list.",
      .shape = SHAPE_LIST, .success = 200, .since = "2024-08-05", .run = access_list_add,
      .flags = BODY_IS_LIST, .request = &access_entry_schema, .response = &access_entry_schema,
      .example = "[{\"cidrBlock\": \"203.0.113.0/24\"}]" },
    { DELETE, "/groups/{groupId}/serviceAccounts/{clientId}/accessList/{ipAddress}", S61,
      ANY_OF(PROJECT_ACCESS_MANAGER), "deleteGroupServiceAccountAccessListEntry",
      "Remove one entry from a project account's access list",
      "Removes one address or block from the list. Write the slash of a block as %2F.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .run = access_list_remove },
    { POST, "/groups/{groupId}/serviceAccounts/{clientId}/secrets", S61, ANY_OF(PROJECT_OWNER),
      "createGroupServiceAccountSecret",
      "Create one secret for a project service account",
      "Issues another secret, so that programs can switch before the old one expires. It is only in this answer.",
      .since = "2024-08-05", .run = secret_create,
      .request = &new_secret_schema, .response = &secret_schema, .example = "{\"secretExpiresAfterHours\": 720}" },
    { DELETE, "/groups/{groupId}/serviceAccounts/{clientId}/secrets/{secretId}", S61, ANY_OF(PROJECT_OWNER),
      "deleteGroupServiceAccountSecret",
      "Delete one secret of a project service account",
      "Deletes one secret: it can no longer be used to fetch tokens.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .run = secret_delete },

    { GET, "/orgs/{orgId}/serviceAccounts", S62, ANY_OF(ORG_READ_ONLY), "listOrgServiceAccounts",
      "Return all service accounts in one organization",
      "Lists the organization's service accounts. Only the last characters of secrets are shown.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .item = "/orgs/{orgId}/serviceAccounts/{clientId}",
      .read = &account_list, .response = &organization_account_schema },
    { POST, "/orgs/{orgId}/serviceAccounts", S62, ANY_OF(ORG_OWNER), "createOrgServiceAccount",
      "Create one service account in one organization",
      "Creates a service account with roles in the organization and its first secret. The secret is only in this answer.",
      .since = "2024-08-05", .item = "/orgs/{orgId}/serviceAccounts/{clientId}", .run = account_create,
      .request = &organization_account_schema, .response = &organization_account_schema,
      .example = "{\"name\": \"automation\", \"description\": \"Runs deployments\", \"roles\": [\"ORG_MEMBER\"], "
                 "\"secretExpiresAfterHours\": 720}" },
    { DELETE, "/orgs/{orgId}/serviceAccounts/{clientId}", S62, ANY_OF(ORG_OWNER), "deleteOrgServiceAccount",
      "Delete one service account",
      "Deletes the account with its secrets and everything granted to it, in every project.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .run = credential_delete },
    { GET, "/orgs/{orgId}/serviceAccounts/{clientId}", S62, ANY_OF(ORG_READ_ONLY), "getOrgServiceAccount",
      "Return one service account",
      "Returns one account with its roles in the organization and when each of its secrets expires.",
      .since = "2024-08-05", .read = &account_get, .response = &organization_account_schema },
    { PATCH, "/orgs/{orgId}/serviceAccounts/{clientId}", S62, ANY_OF(ORG_OWNER), "updateOrgServiceAccount",
      "Update one service account",
      "Changes the account's name, description or roles in the organization. Secrets have their own operations.",
      .since = "2024-08-05", .run = account_update,
      .request = &organization_account_schema, .response = &organization_account_schema,
      .example = "{\"description\": \"Runs deployments at night\"}" },
    { GET, "/orgs/{orgId}/serviceAccounts/{clientId}/accessList", S62, ANY_OF(ORG_READ_ONLY),
      "listOrgServiceAccountAccessList",
      "Return an organization service account's access list",
      "Lists the addresses and blocks from which the account may call.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .run = access_list_page,
      .response = &access_entry_schema },
    { POST, "/orgs/{orgId}/serviceAccounts/{clientId}/accessList", S62, ANY_OF(ORG_OWNER),
      "createOrgServiceAccountAccessList",
      "Add entries to an organization account's access list",
      "Adds addresses or blocks from which the account may call; the others stay. Answers with the whole list.",
      .shape = SHAPE_LIST, .success = 200, .since = "2024-08-05", .run = access_list_add,
      .flags = BODY_IS_LIST, .request = &access_entry_schema, .response = &access_entry_schema,
      .example = "[{\"cidrBlock\": \"203.0.113.0/24\"}]" },
    { DELETE, "/orgs/{orgId}/serviceAccounts/{clientId}/accessList/{ipAddress}", S62, ANY_OF(ORG_OWNER),
      "deleteOrgServiceAccountAccessListEntry",
      "Remove one entry from an organization account's list",
      "Removes one address or block from the account's access list. Write the slash of a block as %2F.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .run = access_list_remove },
    { GET, "/orgs/{orgId}/serviceAccounts/{clientId}/groups", S62, ANY_OF(ORG_READ_ONLY),
      "getOrgServiceAccountGroups",
      "Return all projects of one service account",
      "Lists the projects of the organization in which the account holds roles.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .item = "/groups/{groupId}", .read = &account_projects, .response = &account_project_schema },
    { POST, "/orgs/{orgId}/serviceAccounts/{clientId}/secrets", S62, ANY_OF(ORG_OWNER),
      "createOrgServiceAccountSecret",
      "Create one secret for one service account",
      "Issues another secret, so that programs can switch before the old one expires. It is only in this answer.",
      .since = "2024-08-05", .run = secret_create,
      .request = &new_secret_schema, .response = &secret_schema, .example = "{\"secretExpiresAfterHours\": 720}" },
    { DELETE, "/orgs/{orgId}/serviceAccounts/{clientId}/secrets/{secretId}", S62, ANY_OF(ORG_OWNER),
      "deleteOrgServiceAccountSecret",
      "Delete one secret of one service account",
      "Deletes one secret: it can no longer be used to fetch tokens.",
      .shape = SHAPE_NOTHING, .since = "2024-08-05", .run = secret_delete },
};
// clang-format on

FAMILY(service_accounts_family, "service-accounts", "Service accounts",
       "Accounts for programs. They exchange a client id and a secret for short-lived tokens.",
       service_accounts_endpoints);

static error
bind_projects(struct request *req, struct params *params)
{
    struct credential credential;
    if (!credential_from_path(req, &credential))
        return request_not_found(req);
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    params_id(params, P_CREDENTIAL, credential.id);
    return OK;
}

static const struct read account_projects = { SQL_SERVICE_ACCOUNT_PROJECTS, bind_projects, list_answer_below };

/* ---- changing ---- */

/* The secret goes into the answer and nowhere else: events and the table only ever see its mask. */
static void
put_secret(struct request *req, json_t *document, id secret_id, str secret)
{
    json_t *list = json_object_get(document, "secrets");
    str wanted = id_text(req->arena, secret_id);
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *entry = json_array_get(list, i);
        if (str_eq(json_str(json_object_get(entry, "id")), wanted))
            json_object_set_new(entry, "secret", json_stringn(secret.data, secret.len));
    }
}

static int64_t
expiry_of(const struct request *req)
{
    return clock_now_ms() + json_integer_value(json_object_get(req->body, "secretExpiresAfterHours")) * HOUR_MS;
}

/* The organization may allow less than the API does. */
static error
check_expiry(struct request *req)
{
    str text;
    int64_t ignored;
    TRY(store_organization_settings(req->tx, req->organization, &text, &ignored));
    int64_t most =
        json_integer_value(json_object_get(json_parse_own(req->arena, text), "maxServiceAccountSecretValidityInHours"));
    if (json_integer_value(json_object_get(req->body, "secretExpiresAfterHours")) <= most)
        return OK;
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("secretExpiresAfterHours"),
                V(str_format(req->arena, "the organization allows at most %lld", (long long)most)));
}

/* Only what is sent is changed. Whoever trusts a provider uses it, so its federation stays as it is meanwhile. */
static error
replace_trusted(struct request *req, id account)
{
    const json_t *sent = json_object_get(req->body, "trustedIdentities");
    int64_t unknown;
    if (sent == NULL)
        return OK;
    TRY(store_trusted_programs_set(req->tx, req->organization, account, sent, &unknown));
    if (unknown < 0)
        return OK;
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE,
                V(str_format(req->arena, "trustedIdentities[%lld].identityProviderId", (long long)unknown)),
                V("the federation has no such identity provider for programs (idpType WORKLOAD)"));
}

/* After the account, if there is one: who changes roles locks the organization after it, too. */
static error
lock_federation(struct request *req)
{
    id federation;
    return json_array_size(json_object_get(req->body, "trustedIdentities")) == 0
               ? OK
               : store_federation_lock(req->tx, req->organization, &federation);
}

static error
account_create(struct request *req)
{
    struct new_service_account made;
    const json_t *roles = json_object_get(req->body, "roles");
    TRY(lock_federation(req));
    TRY(check_grantable(req, roles));
    TRY(check_expiry(req));
    if (id_is_there(req->project))
        TRY(project_limit_check(req, LIMIT_SERVICE_ACCOUNTS));
    TRY(auth_create_service_account(req->api->auth, req->tx, req->organization,
                                    json_str(json_object_get(req->body, "name")),
                                    json_str(json_object_get(req->body, "description")), expiry_of(req), &made));
    struct credential credential = { .kind = CREDENTIAL_SERVICE_ACCOUNT, .id = made.id };
    if (id_is_there(req->project)) /* whoever works in a project belongs to its organization */
        TRY(add_role_grant(req->tx, made.id, req->organization, ID_NONE, STR("ORG_MEMBER")));
    TRY(store_credential_set_roles(req->tx, req->organization, made.id, req->project, roles));
    TRY(replace_trusted(req, made.id));
    json_t *after;
    TRY(credential_json(req, &credential, &after));
    TRY(request_event(req, EVENT_SERVICE_ACCOUNT_CREATED, NULL, after));
    TRY(credential_answer(req, &credential));
    put_secret(req, after, made.secret_id, made.secret);
    answer_created(req, json_text(req->arena, after), made.client_id, req->answer.revision);
    return OK;
}

static error
account_update(struct request *req)
{
    struct credential credential;
    json_t *before, *after;
    bool changes_itself = json_object_get(req->body, "name") != NULL ||
                          json_object_get(req->body, "description") != NULL ||
                          json_object_get(req->body, "trustedIdentities") != NULL;
    TRY(changes_itself ? credential_lock_itself(req, &credential) : credential_lock(req, &credential));
    TRY(lock_federation(req));
    TRY(credential_json(req, &credential, &before));
    TRY(store_credential_describe(req->tx, credential.kind, req->organization, credential.id,
                                  json_str(json_object_get(req->body, "name")),
                                  json_str(json_object_get(req->body, "description"))));
    TRY(replace_trusted(req, credential.id));
    TRY(credential_replace_roles(req, &credential, json_object_get(req->body, "roles")));
    TRY(credential_json(req, &credential, &after));
    TRY(request_event(req, EVENT_SERVICE_ACCOUNT_UPDATED, before, after));
    return credential_answer(req, &credential);
}

/* An account of the organization gets roles in the project. */
static error
account_invite(struct request *req)
{
    struct credential credential;
    json_t *after;
    TRY(credential_lock_in_organization(req, &credential)); /* first, as everywhere */
    TRY(project_limit_check(req, LIMIT_SERVICE_ACCOUNTS));
    TRY(credential_add_roles(req, &credential, json_object_get(req->body, "roles")));
    TRY(credential_json(req, &credential, &after));
    TRY(request_event(req, EVENT_SERVICE_ACCOUNT_UPDATED, NULL, after));
    return credential_answer(req, &credential);
}

static error
secret_create(struct request *req)
{
    struct credential credential;
    struct new_secret made;
    int64_t count;
    str document;
    TRY(check_expiry(req));
    TRY(credential_lock_itself(req, &credential));
    TRY(store_secret_count(req->tx, req->organization, credential.id, &count));
    if (count >= MAX_SECRETS)
        return fail(req->arena, TOO_MANY_SECRETS, V(MAX_SECRETS));
    TRY(auth_create_secret(req->api->auth, req->tx, req->organization, credential.id, expiry_of(req), &made));
    TRY(store_secret_document(req->tx, req->organization, credential.id, made.id, &document));
    json_t *after = json_parse_own(req->arena, document);
    TRY(store_credential_changed(req->tx, req->organization, credential.id));
    TRY(request_event(req, EVENT_SERVICE_ACCOUNT_SECRET_CREATED, NULL, after));
    json_object_set_new(after, "secret", json_stringn(made.secret.data, made.secret.len));
    answer_entity(req, json_text(req->arena, after), 0);
    return OK;
}

static error
secret_delete(struct request *req)
{
    struct credential credential;
    id secret;
    bool deleted;
    str document;
    TRY(credential_lock_itself(req, &credential));
    TRY(request_path_id(req, "secretId", &secret));
    TRY(store_secret_document(req->tx, req->organization, credential.id, secret, &document));
    TRY(store_secret_delete(req->tx, req->organization, credential.id, secret, &deleted));
    if (!deleted)
        return request_not_found(req);
    TRY(store_credential_changed(req->tx, req->organization, credential.id));
    TRY(request_event(req, EVENT_SERVICE_ACCOUNT_SECRET_DELETED, json_parse_own(req->arena, document), NULL));
    answer_nothing(req);
    return OK;
}
