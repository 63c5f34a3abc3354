/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sign-in through an organization's own identity providers. Settings can span several organizations, so some paths name
 * none. An organization is always in exactly one federation; if it leaves one, it gets a new one.
 */
#include "family/federation/federation.h"

#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/auth/roles.h"
#include "family/families.h"
#include "store/federation/federation.h"
#include "store/federation/identity_provider.h"

enum { MAPPINGS_MAX = 200, ROLES_MAX = 100 };

static const char *const provider_states[] = { "ACTIVE", "INACTIVE", NULL };

static const struct field settings_fields[] = {
    ID("id", "Identifier of the federation.", READ_ONLY | ALWAYS),
    LIST("federatedDomains", "Domains of e-mail addresses that the operator gave to the federation.",
         READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    BOOL("hasRoleMappings", "Whether the organization maps groups to roles.", READ_ONLY | ALWAYS),
    ID("identityProviderId", "Identity provider that the organization uses.", READ_ONLY),
    TEXT("identityProviderStatus", "Whether that identity provider is switched on.", READ_ONLY,
         .one_of = provider_states),
    END_OF_FIELDS,
};
static const struct schema settings_schema = { "FederationSettings", "The federation of one organization.",
                                               settings_fields };

static const struct field assignment_fields[] = {
    ID("groupId", "Project in which the role is granted, for a project role. Send either this or orgId.", 0),
    ID("orgId", "Organization in which the role is granted, for an organization role.", 0),
    TEXT("role", "Role.", REQUIRED | ALWAYS, .one_of = any_role_names, .example = "\"ORG_READ_ONLY\""),
    END_OF_FIELDS,
};
static const struct schema assignment_schema = { "RoleMappingAssignment", "A role, and where it is granted.",
                                                 assignment_fields };

static const struct field mapping_fields[] = {
    ID("id", "Identifier of the role mapping.", READ_ONLY | ALWAYS),
    TEXT("externalGroupName", "Name of the group as in tokens; unique in the organization.", REQUIRED | ALWAYS,
         .min = 1, .max = 200, .example = "\"platform-team\""),
    LIST("roleAssignments", "Roles that its members hold.", REQUIRED | ALWAYS, .of = &assignment_schema, .min = 1,
         .max = ROLES_MAX),
    END_OF_FIELDS,
};
static const struct schema mapping_schema = { "RoleMapping", "Roles of a group of the identity provider.",
                                              mapping_fields };

static const struct field conflict_fields[] = {
    ID("userId", "Identifier of the user.", READ_ONLY | ALWAYS),
    TEXT("emailAddress", "Address of the user.", READ_ONLY | ALWAYS),
    TEXT("firstName", "First name.", READ_ONLY | ALWAYS),
    TEXT("lastName", "Last name.", READ_ONLY | ALWAYS),
    ID("federationSettingsId", "Identifier of the federation.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema conflict_schema = { "FederatedUserConflict",
                                               "A user whose address is in none of the allowed domains.",
                                               conflict_fields };

static const struct field connected_organization_fields[] = {
    ID("orgId", "Identifier of the organization.", READ_ONLY | ALWAYS),
    ID("identityProviderId", "OpenID Connect provider whose tokens the organization accepts; null for none.",
       NULLABLE | ALWAYS),
    BOOL("domainRestrictionEnabled",
         "Whether only people from the federation's domains and from domainAllowList can be added.", ALWAYS),
    LIST("domainAllowList", "More domains from which people can be added.", ALWAYS, .item = TYPE_TEXT, .max = 100,
         .pattern = DOMAIN_PATTERN, .example = "[\"partner.example\"]"),
    LIST("postAuthRoleGrants", "Roles in the organization for its users who sign in through the provider.", ALWAYS,
         .item = TYPE_TEXT, .max = 20, .one_of = organization_role_names),
    BOOL("instantUserProvisioningDisabled", "Always true: a token does not make anybody a user of the organization.",
         NULLABLE | ALWAYS),
    LIST("roleMappings", "Roles of the provider's groups. Other operations change them.", READ_ONLY | ALWAYS,
         .of = &mapping_schema),
    LIST("userConflicts", "Users who could not be added today, because domains are restricted.", READ_ONLY | ALWAYS,
         .of = &conflict_schema),
    END_OF_FIELDS,
};
const struct schema connected_organization_schema = { "ConnectedOrganization",
                                                      "How one organization uses its federation.",
                                                      connected_organization_fields };

static const struct field mapping_path[] = {
    ID("id", "Identifier of the role mapping.", 0),
    END_OF_FIELDS,
};

static const struct read settings_get, connected_get, connected_list, mapping_get, mapping_list;
static handler settings_delete, connected_delete, connected_update, mapping_create, mapping_replace, mapping_delete;

// clang-format off
static const struct endpoint federation_endpoints[] = {
    { DELETE, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}", S27, ANY_OF(ORG_OWNER),
      "removeFederationSettingConnectedOrgConfig",
      "Disconnect one organization from a federation",
      "Takes the organization out of a federation that it shares with others. It gets its own, empty federation and no longer "
      "accepts tokens of the identity provider. The others are not affected. The only organization in a federation cannot leave.",
      .shape = SHAPE_NOTHING, .run = connected_delete },
    { GET, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}", S27, ANY_OF(ORG_OWNER),
      "getFederationSettingConnectedOrgConfig",
      "Return the federation settings of one connected organization",
      "Returns which identity provider the organization uses, which domains it allows, and the roles that come with "
      "signing in.",
      .read = &connected_get, .response = &connected_organization_schema },
    { PATCH, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}", S27, ANY_OF(ORG_OWNER),
      "updateFederationSettingConnectedOrgConfig",
      "Update one connected organization's federation settings",
      "Changes the identity provider, the allowed domains or the roles that come with signing in. What is not sent stays. "
      "Service accounts and API keys are not affected, so nobody is locked out for good.",
      .run = connected_update, .request = &connected_organization_schema,
      .response = &connected_organization_schema, .example = "{\"domainRestrictionEnabled\": false, \"postAuthRoleGrants\": [\"ORG_MEMBER\"]}" },
    { GET, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}/roleMappings", S27,
      ANY_OF(ORG_OWNER), "listFederationSettingConnectedOrgConfigRoleMappings",
      "Return all role mappings of one connected organization",
      "Lists the roles of each group of the identity provider.",
      .shape = SHAPE_LIST,
      .item = "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}/roleMappings/{id}",
      .read = &mapping_list, .response = &mapping_schema },
    { POST, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}/roleMappings", S27,
      ANY_OF(ORG_OWNER), "createFederationSettingConnectedOrgConfigRoleMapping",
      "Create one role mapping",
      "Maps a group of the identity provider to roles in the organization and its projects. It takes effect with each member's "
      "next request with a token, in addition to their own roles.",
      .success = 200,
      .item = "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}/roleMappings/{id}",
      .run = mapping_create, .request = &mapping_schema, .response = &mapping_schema,
      .example = "{\"externalGroupName\": \"platform-team\", \"roleAssignments\": [{\"orgId\": \"650000000000000000000001\", \"role\": \"ORG_READ_ONLY\"}]}" },
    { DELETE, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}/roleMappings/{id}", S27,
      ANY_OF(ORG_OWNER), "deleteFederationSettingConnectedOrgConfigRoleMapping",
      "Delete one role mapping",
      "Deletes the mapping. Members of that group lose its roles at once.",
      .shape = SHAPE_NOTHING, .run = mapping_delete, .path_fields = mapping_path },
    { GET, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}/roleMappings/{id}", S27,
      ANY_OF(ORG_OWNER), "getFederationSettingConnectedOrgConfigRoleMapping",
      "Return one role mapping",
      "Returns one group of the identity provider with its roles.",
      .read = &mapping_get, .response = &mapping_schema, .path_fields = mapping_path },
    { PUT, "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}/roleMappings/{id}", S27,
      ANY_OF(ORG_OWNER), "updateFederationSettingConnectedOrgConfigRoleMapping",
      "Replace one role mapping",
      "Replaces the group's roles with those that are sent.",
      .run = mapping_replace, .request = &mapping_schema, .response = &mapping_schema,
      .path_fields = mapping_path,
      .example = "{\"externalGroupName\": \"platform-team\", \"roleAssignments\": [{\"orgId\": \"650000000000000000000001\", \"role\": \"ORG_OWNER\"}]}" },
    { GET, "/orgs/{orgId}/federationSettings", S27, ANY_OF(ORG_OWNER), "getOrgFederationSettings",
      "Return the federation settings of one organization",
      "Returns the id of the settings that the organization is connected to, with its identity provider. The "
      "other federation operations need that id.",
      .below = "/federationSettings/{federationSettingsId}", .read = &settings_get, .response = &settings_schema },

    { DELETE, "/federationSettings/{federationSettingsId}", S28, ANY_OF(ORG_OWNER), "deleteFederationSetting",
      "Delete one federation's settings",
      "Deletes the settings with their identity providers, domains and role mappings. All other organizations must be "
      "disconnected first. The organization that is left gets an empty federation with another id.",
      .shape = SHAPE_NOTHING, .run = settings_delete },
    { GET, "/federationSettings/{federationSettingsId}/connectedOrgConfigs", S28, ANY_OF(ORG_OWNER),
      "listFederationSettingConnectedOrgConfigs",
      "Return all organizations connected to a federation",
      "Lists the organizations that sign in through these settings, each with its own configuration.",
      .shape = SHAPE_LIST, .item = "/federationSettings/{federationSettingsId}/connectedOrgConfigs/{orgId}",
      .read = &connected_list, .response = &connected_organization_schema },
    { GET, "/federationSettings/{federationSettingsId}/identityProviders", S28, ANY_OF(ORG_OWNER),
      "listFederationSettingIdentityProviders",
      "Return all identity providers of a federation",
      "Lists the identity providers, SAML and OpenID Connect.",
      .shape = SHAPE_LIST,
      .item = "/federationSettings/{federationSettingsId}/identityProviders/{identityProviderId}",
      .read = &identity_provider_list, .query = identity_provider_query,
      .response = &identity_provider_schema },
    { POST, "/federationSettings/{federationSettingsId}/identityProviders", S28, ANY_OF(ORG_OWNER),
      "createFederationSettingIdentityProvider",
      "Create one identity provider",
      "Registers an OpenID Connect or SAML provider. It is used once an organization names it "
      "in its configuration. Its public keys are fetched within seconds.",
      .success = 200, .since = "2023-11-15",
      .item = "/federationSettings/{federationSettingsId}/identityProviders/{identityProviderId}",
      .run = identity_provider_create, .request = &identity_provider_schema,
      .response = &identity_provider_schema,
      .example = "{\"protocol\": \"OIDC\", \"displayName\": \"Company login\", \"issuerUri\": \"https://login.example.org\", "
                 "\"audience\": \"https://reeve.example.org\"}" },
    { DELETE, "/federationSettings/{federationSettingsId}/identityProviders/{identityProviderId}", S28,
      ANY_OF(ORG_OWNER), "deleteFederationSettingIdentityProvider",
      "Delete one identity provider",
      "Deletes an identity provider that no connected organization uses.",
      .shape = SHAPE_NOTHING, .since = "2023-11-15", .run = identity_provider_delete, .path_fields = identity_provider_path },
    { GET, "/federationSettings/{federationSettingsId}/identityProviders/{identityProviderId}", S28,
      ANY_OF(ORG_OWNER), "getFederationSettingIdentityProvider",
      "Return one identity provider",
      "Returns one identity provider: its protocol, issuer, domains and state.",
      .since = "2023-11-15", .read = &identity_provider_get, .response = &identity_provider_schema,
      .path_fields = identity_provider_path },
    { PATCH, "/federationSettings/{federationSettingsId}/identityProviders/{identityProviderId}", S28,
      ANY_OF(ORG_OWNER), "updateFederationSettingIdentityProvider",
      "Update one identity provider",
      "Changes only the fields that are sent. The change takes effect with the next request with a token. A provider whose "
      "status is INACTIVE lets nobody in. While another organization uses the provider, only its labels can be changed: for "
      "other changes create a new provider, and let each organization choose it.",
      .since = "2023-11-15", .run = identity_provider_update, .request = &identity_provider_schema,
      .response = &identity_provider_schema, .path_fields = identity_provider_path,
      .example = "{\"protocol\": \"OIDC\", \"displayName\": \"Company login\"}" },
    { DELETE, "/federationSettings/{federationSettingsId}/identityProviders/{identityProviderId}/jwks", S28,
      ANY_OF(ORG_OWNER), "revokeFederationSettingIdentityProviderJwks",
      "Forget the signing keys of one identity provider",
      "Drops the provider's cached public keys. They are fetched again; until then none of its tokens is accepted. Use it after "
      "the provider has replaced a key in an emergency. A key that the provider still publishes comes back.",
      .shape = SHAPE_NOTHING, .since = "2023-11-15", .run = identity_provider_revoke_keys, .path_fields = identity_provider_path },
    { GET, "/federationSettings/{federationSettingsId}/identityProviders/{identityProviderId}/metadata.xml", S28,
      ANY_OF(ORG_OWNER), "getFederationSettingIdentityProviderMetadata",
      "Return the SAML metadata of one identity provider",
      "Returns the service provider metadata for a SAML identity provider, as XML: what such a provider is told about this service.",
      .shape = SHAPE_FILE, .file = "xml", .flags = NOT_ALWAYS_THERE, .run = identity_provider_metadata,
      .path_fields = identity_provider_path },
};
// clang-format on

FAMILY(federation_family, "federation", "Federated sign-in",
       "Sign-in through an organization's own identity providers, and the roles of their groups.",
       federation_endpoints);

/* ---- Reading ---- */

static error
bind_organization(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    return OK;
}

static error
bind_mapping(struct request *req, struct params *params)
{
    id mapping;
    TRY(request_path_id(req, "id", &mapping));
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_MAPPING, mapping);
    return OK;
}

static const struct read settings_get = { SQL_FEDERATION_GET, bind_organization, answer_row };
static const struct read connected_get = { SQL_CONNECTED_ORGANIZATION_GET, bind_organization, answer_row };
static const struct read connected_list = { SQL_CONNECTED_ORGANIZATION_LIST, list_bind_organization, list_answer };
static const struct read mapping_get = { SQL_ROLE_MAPPING_GET, bind_mapping, answer_row };
static const struct read mapping_list = { SQL_ROLE_MAPPING_LIST, list_bind_organization, list_answer };

static error
parse(struct request *req, str text, json_t **ret_json)
{
    *ret_json = json_parse_own(req->arena, text);
    return *ret_json == NULL ? fail(req->arena, OVERLOADED) : OK;
}

/* ---- Leaving ---- */

/* The organization gets a federation of its own, empty; the one that it was in ends with its last organization. */
static error
begin_anew(struct request *req, id from)
{
    return store_federation_join(req->tx, req->organization, from, id_new(store_cell(req->api->store)));
}

static error
settings_delete(struct request *req)
{
    id federation;
    int64_t size;
    TRY(store_federation_lock(req->tx, req->organization, &federation));
    TRY(store_federation_size(req->tx, req->organization, &size));
    if (size > 1)
        return fail(req->arena, FEDERATION_IS_SHARED, V(size));
    TRY(begin_anew(req, federation));
    json_t *before = json_in(req->arena, json_pack("{s:s}", "id", id_text(req->arena, federation).data));
    TRY(request_event(req, EVENT_FEDERATION_SETTINGS_DELETED, before, NULL));
    answer_nothing(req);
    return OK;
}

static error
connected_delete(struct request *req)
{
    id federation;
    int64_t size, revision;
    str document;
    json_t *before;
    TRY(store_federation_lock(req->tx, req->organization, &federation));
    TRY(store_connected_lock(req->tx, req->organization, &document, &revision));
    TRY(request_check_match(req, revision));
    TRY(store_federation_size(req->tx, req->organization, &size));
    if (size == 1)
        return fail(req->arena, ONLY_CONNECTED_ORGANIZATION, V(id_text(req->arena, req->organization)));
    TRY(parse(req, document, &before));
    TRY(begin_anew(req, federation));
    TRY(request_event(req, EVENT_CONNECTED_ORG_REMOVED, before, NULL));
    answer_nothing(req);
    return OK;
}

/* ---- How an organization uses its federation ---- */

static error
check_provider(struct request *req, struct connected_draft *draft)
{
    str document;
    int64_t revision;
    json_t *provider;
    TRY(store_identity_provider_lock(req->tx, req->organization, draft->provider, &document, &revision, NULL));
    if (document.len == 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("identityProviderId"),
                    V("the federation has no such identity provider"));
    TRY(parse(req, document, &provider));
    if (str_is(json_str(json_object_get(provider, "idpType")), "WORKLOAD"))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("identityProviderId"),
                    V("the provider is for programs; service accounts name it in trustedIdentities"));
    /* Passkeys and passwords do not open an organization that uses a provider; this one would let in nobody at all. */
    if (str_is(json_str(json_object_get(provider, "protocol")), "SAML") &&
        !str_is(json_str(json_object_get(provider, "status")), "ACTIVE"))
        return fail(
            req->arena, INVALID_ATTRIBUTE_VALUE, V("identityProviderId"),
            V("the SAML provider is INACTIVE, so nobody could sign in with it; set its status to ACTIVE first"));
    return OK;
}

static error
connected_update(struct request *req)
{
    id federation;
    int64_t revision;
    str text;
    bool known;
    json_t *before, *after;
    TRY(store_federation_lock(req->tx, req->organization, &federation));
    TRY(store_connected_lock(req->tx, req->organization, &text, &revision));
    TRY(request_check_match(req, revision));
    TRY(parse(req, text, &before));
    if (json_is_false(json_object_get(req->body, "instantUserProvisioningDisabled")))
        return fail(req->arena, NOT_OFFERED, V("Adding users with their first token"),
                    V("invite people or add them to the organization first"));
    json_t *wanted = json_in(req->arena, json_copy(before));
    json_object_update(wanted, req->body);
    struct connected_draft draft = {
        .domain_restriction = json_is_true(json_object_get(wanted, "domainRestrictionEnabled")),
        .domain_allow_list = json_text(req->arena, json_object_get(wanted, "domainAllowList")),
        .sign_in_roles = json_text(req->arena, json_object_get(wanted, "postAuthRoleGrants")),
    };
    draft.has_provider = id_parse(json_str(json_object_get(wanted, "identityProviderId")), &draft.provider);
    if (draft.has_provider)
        TRY(check_provider(req, &draft));
    TRY(store_connected_update(req->tx, req->organization, &draft, &known));
    if (!known)
        return fail(req->arena, CONCURRENT_CHANGE, V("the identity provider"));
    TRY(store_federation_changed(req->tx, federation));
    TRY(store_federation_members_changed(req->tx, req->organization));
    TRY(store_connected_document(req->tx, req->organization, &text, &revision));
    TRY(parse(req, text, &after));
    TRY(request_event(req, EVENT_CONNECTED_ORG_CHANGED, before, after));
    answer_entity(req, text, revision);
    return OK;
}

/* ---- Role mappings ---- */

static error
refuse_role(struct request *req, size_t index, const char *why)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "roleAssignments[%zu]", index)), V(why));
}

static error
add_role(struct request *req, id mapping, size_t index, const json_t *assignment)
{
    id organization, project = ID_NONE;
    bool known;
    const json_t *in_organization = json_object_get(assignment, "orgId"),
                 *in_project = json_object_get(assignment, "groupId");
    str role = json_str(json_object_get(assignment, "role"));
    if ((in_organization == NULL) == (in_project == NULL))
        return refuse_role(req, index, "it needs either groupId or orgId");
    if (role_is_of_project(role_from_name(role)) != (in_project != NULL))
        return refuse_role(req, index, "a project role needs groupId, an organization role needs orgId");
    if (in_organization != NULL &&
        (!id_parse(json_str(in_organization), &organization) || !id_eq(organization, req->organization)))
        return refuse_role(req, index, "it must be the organization in the path");
    if (in_project != NULL && !id_parse(json_str(in_project), &project))
        return refuse_role(req, index, "the organization has no such project");
    TRY(store_role_mapping_role_add(req->tx, req->organization, mapping, project, role, &known));
    return known ? OK : refuse_role(req, index, "the organization has no such project");
}

static error
add_roles(struct request *req, id mapping)
{
    const json_t *assignments = json_object_get(req->body, "roleAssignments");
    for (size_t i = 0; i < json_array_size(assignments); i++)
        TRY(add_role(req, mapping, i, json_array_get(assignments, i)));
    return OK;
}

/* Every node is told: what tokens lead to, and what those hold who have shown one. */
static error
mapping_changed(struct request *req, id federation)
{
    TRY(store_federation_changed(req->tx, federation));
    return store_federation_members_changed(req->tx, req->organization);
}

static error
mapping_create(struct request *req)
{
    id federation, mapping = id_new(store_cell(req->api->store));
    int64_t count, revision;
    str text;
    json_t *after;
    TRY(store_federation_lock(req->tx, req->organization, &federation));
    TRY(store_role_mapping_count(req->tx, req->organization, &count));
    if (count >= MAPPINGS_MAX)
        return fail(req->arena, TOO_MANY_ROLE_MAPPINGS, V(count));
    TRY(store_role_mapping_add(req->tx, req->organization, mapping,
                               json_str(json_object_get(req->body, "externalGroupName"))));
    TRY(add_roles(req, mapping));
    TRY(mapping_changed(req, federation));
    TRY(store_role_mapping_document(req->tx, req->organization, mapping, &text, &revision));
    TRY(parse(req, text, &after));
    TRY(request_event(req, EVENT_ROLE_MAPPING_CREATED, NULL, after));
    answer_created(req, text, id_text(req->arena, mapping), revision);
    return OK;
}

static error
lock_mapping(struct request *req, id *ret_federation, id *ret_mapping, json_t **ret_before)
{
    int64_t revision;
    str text;
    TRY(request_path_id(req, "id", ret_mapping));
    TRY(store_federation_lock(req->tx, req->organization, ret_federation));
    TRY(store_role_mapping_lock(req->tx, req->organization, *ret_mapping, &text, &revision));
    if (text.len == 0)
        return request_not_found(req);
    TRY(request_check_match(req, revision));
    return parse(req, text, ret_before);
}

static error
mapping_replace(struct request *req)
{
    id federation, mapping;
    int64_t revision;
    str text;
    json_t *before, *after;
    TRY(lock_mapping(req, &federation, &mapping, &before));
    TRY(store_role_mapping_rename(req->tx, req->organization, mapping,
                                  json_str(json_object_get(req->body, "externalGroupName"))));
    TRY(store_role_mapping_clear(req->tx, req->organization, mapping));
    TRY(add_roles(req, mapping));
    TRY(mapping_changed(req, federation));
    TRY(store_role_mapping_document(req->tx, req->organization, mapping, &text, &revision));
    TRY(parse(req, text, &after));
    TRY(request_event(req, EVENT_ROLE_MAPPING_CHANGED, before, after));
    answer_entity(req, text, revision);
    return OK;
}

static error
mapping_delete(struct request *req)
{
    id federation, mapping;
    json_t *before;
    TRY(lock_mapping(req, &federation, &mapping, &before));
    TRY(mapping_changed(req, federation));
    TRY(store_role_mapping_delete(req->tx, req->organization, mapping));
    TRY(request_event(req, EVENT_ROLE_MAPPING_DELETED, before, NULL));
    answer_nothing(req);
    return OK;
}
