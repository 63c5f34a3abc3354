/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts in the databases. They never call this API, and callers of this API never log in to a database. Of a
 * password only its SCRAM verifier is stored.
 */
#include "api/crud.h"
#include "base/crypto/scram.h"
#include "base/json.h"
#include "family/access/access.h"
#include "family/access/database_roles.h"
#include "family/access/user_certificates.h"
#include "family/families.h"
#include "family/project_limits.h"
#include "store/access/user_certificate.h"
#include "store/tenant/project.h"

/* What can stand in a distinguished name without a backslash, and in names that people choose. */
#define USER_NAME "^[A-Za-z0-9_][A-Za-z0-9 _.,=@+:#$/-]*(?<! )$"

enum { GROUP_ROLES_MAX = 10 }; /* everybody in it has them, and the roles of all their groups */

static const char *const databases[] = { "admin", "$external", NULL };
static const char *const x509_types[] = { "NONE", "MANAGED", "CUSTOMER", NULL };
static const char *const ldap_types[] = { "NONE", "USER", "GROUP", NULL };
static const char *const scope_types[] = { "CLUSTER", NULL };

static const struct field role_fields[] = {
    TEXT("roleName", "Role of the user: a built-in role or a custom one.", REQUIRED, .max = ROLE_NAME_BYTES,
         .pattern = ROLE_NAME, .example = "\"readWrite\""),
    TEXT("databaseName",
         "Database in which the user has it; admin for a role that applies everywhere, and for a custom one.", REQUIRED,
         .max = 63, .pattern = DATABASE_NAME, .example = "\"shop\""),
    TEXT("collectionName", "Table to which the role is limited, with or without its schema.", 0, .max = 127,
         .pattern = TABLE_NAME, .example = "\"orders\""),
    END_OF_FIELDS,
};
static const struct schema role_schema = { "DatabaseUserRole", "A role of a database user.", role_fields };

static const struct field scope_fields[] = {
    TEXT("name", "Name of the cluster; it need not exist yet.", REQUIRED, .min = 1, .max = 64,
         .pattern = "^[a-zA-Z0-9][a-zA-Z0-9-]*$", .example = "\"orders\""),
    TEXT("type", "Kind of deployment with that name.", REQUIRED, .one_of = scope_types, .example = "\"CLUSTER\""),
    END_OF_FIELDS,
};
static const struct schema scope_schema = { "DatabaseUserScope", "A cluster that a database user is limited to.",
                                            scope_fields };

static const struct field label_fields[] = {
    TEXT("key", "Name of the label.", REQUIRED, .min = 1, .max = 255, .example = "\"team\""),
    TEXT("value", "Value of the label.", REQUIRED, .min = 1, .max = 255, .example = "\"payments\""),
    END_OF_FIELDS,
};
static const struct schema label_schema = { "DatabaseUserLabel", "Your own key and value.", label_fields };

static const struct field user_fields[] = {
    TEXT("username",
         "Name of the user, unique in the project among users and custom roles. For a user with certificates it is "
         "the subject, most specific part first, without spaces after commas: CN=ci,OU=builds.",
         REQUIRED | CREATE_ONLY | ALWAYS, .min = 1, .max = ROLE_NAME_BYTES, .pattern = USER_NAME, .example = "\"app\""),
    TEXT("databaseName",
         "How the user logs in: admin with a password, $external with a certificate or through a directory.",
         CREATE_ONLY | ALWAYS, .one_of = databases, .fallback = "\"admin\""),
    ID("groupId", "Project of the user. If it is sent, it must be the project in the path.", CREATE_ONLY | ALWAYS),
    TEXT("password", "Password, in printable ASCII. It is not stored, only what the database needs to check it.",
         WRITE_ONLY, .min = 8, .max = 128, .example = "\"correct horse battery\""),
    TEXT("x509Type",
         "Who issues certificates of the user: MANAGED for this service, CUSTOMER for the project's own authority, "
         "NONE for a user without certificates.",
         CREATE_ONLY | ALWAYS, .one_of = x509_types, .fallback = "\"NONE\""),
    TEXT(
        "ldapAuthType",
        "USER when the user logs in through the project's directory, while that is switched on (userSecurity). GROUP when "
        "the name is that of a group of the directory: everybody in it can log in, with these roles, while "
        "authorizationEnabled is true. Else NONE.",
        CREATE_ONLY | ALWAYS, .one_of = ldap_types, .fallback = "\"NONE\""),
    LIST("roles", "What the user may do. A list that is sent replaces all of it.", REQUIRED | ALWAYS,
         .of = &role_schema, .min = 1, .max = 100, .short_form = "roleName@databaseName.collectionName"),
    LIST("scopes", "Clusters that the user is limited to; an empty list for all of the project.", ALWAYS,
         .of = &scope_schema, .max = 100, .fallback = "[]"),
    DATE("deleteAfterDate", "When the user is deleted; without it or with null, never.", NULLABLE),
    TEXT("description", "What it is for.", 0, .max = 100),
    LIST("labels", "Labels of the user.", ALWAYS, .of = &label_schema, .max = 50, .fallback = "[]",
         .short_form = "key=value"),
    END_OF_FIELDS,
};
static const struct schema user_schema = { "DatabaseUser", "An account in the databases.", user_fields };

static error check_user(struct request *req, struct change *change);

static const struct kind database_user = {
    .name = "databaseUser",
    .parameter = "username",
    .field = "username",
    .also = "databaseName",
    .hidden = "verifier",
    .decides_access = true,
    .created = EVENT_DATABASE_USER_CREATED,
    .changed = EVENT_DATABASE_USER_UPDATED,
    .deleted = EVENT_DATABASE_USER_DELETED,
    .check = check_user,
};

// clang-format off
static const struct endpoint database_users_endpoints[] = {
    { GET, "/groups/{groupId}/databaseUsers", S22, ANY_OF(PROJECT_READ_ONLY), "listGroupDatabaseUsers",
      "Return all database users in one project",
      "Lists the accounts with their roles and scopes. Passwords are never returned.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/databaseUsers/{databaseName}/{username}", .read = &crud_list,
      .kind = &database_user, .response = &user_schema, .flags = MAIN_LINK },
    { POST, "/groups/{groupId}/databaseUsers", S22,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "createGroupDatabaseUser",
      "Create one database user in one project",
      "Creates an account with a password or certificates on the clusters in scope. It may take some seconds until all of them "
      "have it.",
      .item = "/groups/{groupId}/databaseUsers/{databaseName}/{username}", .run = crud_create, .kind = &database_user,
      .request = &user_schema, .response = &user_schema,
      .example = "{\"username\": \"app\", \"password\": \"correct horse battery\", \"roles\": [{\"roleName\": \"readWrite\", "
                 "\"databaseName\": \"shop\"}]}" },
    { DELETE, "/groups/{groupId}/databaseUsers/{databaseName}/{username}", S22,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "deleteGroupDatabaseUser",
      "Delete one database user",
      "Deletes the account on every cluster in scope. Open sessions are ended; what the account owned goes to the cluster's "
      "administrator.",
      .shape = SHAPE_NOTHING, .run = crud_delete, .kind = &database_user },
    { GET, "/groups/{groupId}/databaseUsers/{databaseName}/{username}", S22, ANY_OF(PROJECT_READ_ONLY),
      "getGroupDatabaseUser",
      "Return one database user",
      "Returns one account with its roles, its scopes and how it logs in.",
      .below = "/groups/{groupId}/databaseUsers/{username}", .read = &crud_get, .kind = &database_user,
      .response = &user_schema },
    { PATCH, "/groups/{groupId}/databaseUsers/{databaseName}/{username}", S22,
      ANY_OF(PROJECT_DATABASE_ACCESS_ADMIN | PROJECT_STREAM_PROCESSING_OWNER), "updateGroupDatabaseUser",
      "Update one database user",
      "Changes only what is sent: password, roles, scopes, end date. Roles that are sent replace all that were "
      "there.",
      .run = crud_update, .kind = &database_user, .request = &user_schema, .response = &user_schema,
      .example = "{\"roles\": [{\"roleName\": \"read\", \"databaseName\": \"shop\", \"collectionName\": \"orders\"}]}" },
};
// clang-format on

FAMILY(database_users_family, "database-users", "Database users",
       "Accounts that log in to the databases themselves, on every cluster of a project or on chosen ones.",
       database_users_endpoints);

static bool
is(const json_t *document, const char *field, const char *text)
{
    return str_is(json_str(json_object_get(document, field)), text);
}

static error
refuse(struct request *req, const char *field, const char *why)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V(why));
}

static error
check_directory_login(struct request *req, const json_t *user, bool has_password)
{
    if (!is(user, "x509Type", "NONE"))
        return refuse(req, "ldapAuthType", "a user has either certificates or a directory login, not both");
    if (has_password)
        return refuse(req, "password", "a user of the directory must have no password here");
    if (!is(user, "databaseName", "$external"))
        return refuse(req, "databaseName", "it must be $external for a user of the directory");
    return OK;
}

/* By a password, by a certificate or to the directory, and the database says which. */
static error
check_login(struct request *req, const struct change *change)
{
    const json_t *user = change->after;
    bool sent = json_object_get(user, "password") != NULL;
    if (!is(user, "ldapAuthType", "NONE"))
        return check_directory_login(req, user, sent);
    if (is(user, "x509Type", "NONE")) {
        if (!is(user, "databaseName", "admin"))
            return refuse(req, "databaseName", "it must be admin for a user with a password");
        return sent || change->before != NULL ? OK : fail(req->arena, MISSING_ATTRIBUTE, V("password"));
    }
    if (sent)
        return refuse(req, "password", "a user with certificates must have no password");
    if (!is(user, "databaseName", "$external"))
        return refuse(req, "databaseName", "it must be $external for a user with certificates");
    if (!str_starts_with(change->name, STR("CN=")))
        return refuse(req, "username", "it must begin with CN= for a user with certificates");
    if (is(user, "x509Type", "MANAGED") && str_find(change->name, ',') >= 0)
        return refuse(req, "username", "it must be CN= and a name without commas for a user with managed certificates");
    return OK;
}

static error
check_roles(struct request *req, const json_t *roles)
{
    size_t i;
    const json_t *one;
    json_array_foreach(roles, i, one)
    {
        struct role_use use = {
            .place = str_format(req->arena, "roles[%zu]", i),
            .role_field = "roleName",
            .database_field = "databaseName",
            .collection_field = "collectionName",
            .role = json_str(json_object_get(one, "roleName")),
            .database = json_str(json_object_get(one, "databaseName")),
            .collection = json_str(json_object_get(one, "collectionName")),
        };
        TRY(database_role_check(req, &use));
    }
    return OK;
}

static error
keep_verifier_of(struct request *req, json_t *user)
{
    str password = json_str(json_object_get(user, "password"));
    if (password.len == 0)
        return OK;
    if (!scram_takes(password))
        return refuse(req, "password", "it must be printable ASCII");
    str verifier = scram_verifier(req->arena, password);
    json_object_set_new(user, "verifier", json_stringn(verifier.data, verifier.len));
    json_object_del(user, "password");
    return OK;
}

static error
check_new(struct request *req, struct change *change)
{
    str own = id_text(req->arena, req->project), sent = json_str(json_object_get(change->after, "groupId"));
    if (sent.len > 0 && !str_eq(sent, own))
        return refuse(req, "groupId", "it must be the project in the path");
    json_object_set_new(change->after, "groupId", json_stringn(own.data, own.len));
    TRY(project_limit_check(req, LIMIT_DATABASE_USERS));
    TRY(database_name_is_free(req, "username", change->name, STR("customRole")));
    return user_certificates_check_new(req, change->name);
}

static error
check_user(struct request *req, struct change *change)
{
    const json_t *roles;
    struct project project;
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    if (change->after == NULL)
        return store_user_certificates_revoke(req->tx, req->project, change->name);
    if (change->before == NULL)
        TRY(check_new(req, change));
    TRY(check_login(req, change));
    roles = json_object_get(change->after, "roles");
    if (is(change->after, "ldapAuthType", "GROUP") && json_array_size(roles) > GROUP_ROLES_MAX)
        return refuse(req, "roles",
                      "a group has at most 10 roles; put more rights into a custom role, and give it that");
    TRY(check_roles(req, roles));
    TRY(access_check_end(req, change->after, json_object_get(req->body, "deleteAfterDate") != NULL));
    return keep_verifier_of(req, change->after);
}
