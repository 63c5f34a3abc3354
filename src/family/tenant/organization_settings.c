/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of an organization for everybody in it. Few requests change them, so their bucket is the smallest of all. */
#include "api/api.h"
#include "api/request_event.h"
#include "base/json.h"
#include "store/auth/principal.h"
#include "store/tenant/organization.h"

static const struct field settings_fields[] = {
    BOOL("apiAccessListRequired", "Whether service accounts and API keys need an access list.", ALWAYS),
    INTEGER("maxServiceAccountSecretValidityInHours", "Longest lifetime of a new secret of a service account.", ALWAYS,
            .min = 8, .max = 8760, .example = "720"),
    TEXT(
        "securityContact",
        "E-mail address that is told when who gets in is changed, or how it is watched; null for none. The one before is told of a change, too.",
        NULLABLE, .max = 254, .pattern = "^[A-Za-z0-9._%+'/=~-]{1,64}@(?:[A-Za-z0-9.-]{1,189})$",
        .example = "\"security@example.org\""),
    BOOL("multiFactorAuthRequired", "Whether people need a second factor. Always false; true is refused.", ALWAYS,
         .example = "false"),
    BOOL("restrictEmployeeAccess", "Whether the operator's staff is kept out of hosts. Always false; true is refused.",
         ALWAYS, .example = "false"),
    BOOL("genAIFeaturesEnabled", "Whether generated advice is offered. Always false; true is refused.", ALWAYS,
         .example = "false"),
    BOOL("streamsCrossGroupEnabled",
         "Whether stream processing reaches clusters of other projects. Always false; true is refused.", ALWAYS,
         .example = "false"),
    END_OF_FIELDS,
};
static const struct schema settings_schema = { "OrganizationSettings", "Rules of an organization.", settings_fields };

/* Switches that would be without an effect. Off is what they are; whoever wants one on is told why that is not to be had. */
static const struct {
    const char *name, *what, *why;
} always_off[] = {
    { "multiFactorAuthRequired", "Demanding a second factor",
      "a passkey is two factors already; passwords are for installations without a name only, and the operator offers them or not (people_passwords)" },
    { "restrictEmployeeAccess", "Keeping the operator's staff out",
      "the operator runs the hosts, so nothing could keep them out" },
    { "genAIFeaturesEnabled", "Generated advice", "the service generates no advice" },
    { "streamsCrossGroupEnabled", "Stream processing across projects", "there is no stream processing yet" },
};

static const struct read settings_get;
static handler settings_update;

// clang-format off
static const struct endpoint organization_settings_endpoints[] = {
    { GET, "/orgs/{orgId}/settings", S45, ANY_OF(ORG_MEMBER), "getOrgSettings",
      "Return the settings of one organization",
      "Returns the rules for everybody in the organization: whether API callers need an access list, how long secrets may "
      "live, and who receives security notices.",
      .read = &settings_get, .response = &settings_schema },
    { PATCH, "/orgs/{orgId}/settings", S45, ANY_OF(ORG_OWNER), "updateOrgSettings",
      "Update the settings of one organization",
      "Changes only the settings that are sent. A stricter rule takes effect with the next request, also for the caller: a "
      "caller without an access list cannot require one. Existing secrets keep their expiry.",
      .run = settings_update, .request = &settings_schema, .response = &settings_schema,
      .example = "{\"maxServiceAccountSecretValidityInHours\": 720}" },
};
// clang-format on

FAMILY(organization_settings_family, "organization-settings", "Organization settings",
       "What an organization requires of its service accounts and API keys, such as an access list.",
       organization_settings_endpoints);

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    return OK;
}

static const struct read settings_get = { SQL_ORGANIZATION_SETTINGS_GET, bind_get, answer_row };

/* Whoever demands access lists must have one themselves: they could not take it back. Asked in the database, because what is in
 * memory may be older than the entry that the caller has just added. */
static error
check_stays_in(struct request *req)
{
    const struct principal *caller;
    struct credentials credentials = request_credentials(req);
    TRY(auth_reload_principal(req->api->auth, req->arena, &credentials, req->caller, &caller));
    if (!id_eq(caller->organization, req->organization) || caller->block_count > 0)
        return OK;
    return fail(req->arena, CALLER_WOULD_BE_LOCKED_OUT, V(net_address_text(req->arena, &req->in.client)));
}

static error
check_always_off(struct request *req)
{
    for (size_t i = 0; i < LENGTH(always_off); i++) {
        if (json_is_true(json_object_get(req->body, always_off[i].name)))
            return fail(req->arena, NOT_OFFERED, V(always_off[i].what), V(always_off[i].why));
    }
    return OK;
}

static error
settings_update(struct request *req)
{
    static const char *const kept[] = { "maxServiceAccountSecretValidityInHours", "securityContact" };
    struct organization current;
    str document;
    int64_t revision;
    TRY(check_always_off(req));
    TRY(store_organization_lock(req->tx, req->organization, &current));
    TRY(request_check_match(req, current.revision));
    TRY(store_organization_settings(req->tx, req->organization, &document, &revision));
    json_t *before = json_parse_own(req->arena, document), *settings = json_parse_own(req->arena, current.settings);
    if (before == NULL || settings == NULL)
        return fail(req->arena, OVERLOADED);
    const json_t *list = json_object_get(req->body, "apiAccessListRequired");
    bool required = json_is_true(list);
    if (required)
        TRY(check_stays_in(req));
    for (size_t i = 0; i < LENGTH(kept); i++) {
        json_t *sent = json_object_get(req->body, kept[i]);
        if (json_is_null(sent))
            json_object_del(settings, kept[i]);
        else if (sent != NULL)
            json_object_set(settings, kept[i], sent);
    }
    TRY(store_organization_set_settings(req->tx, req->organization, list == NULL ? NULL : &required,
                                        json_text(req->arena, settings)));
    TRY(authority_changed(req->tx, "org", req->organization));
    TRY(store_organization_settings(req->tx, req->organization, &document, &revision));
    TRY(request_event(req, EVENT_ORGANIZATION_SETTINGS_CHANGED, before, json_parse_own(req->arena, document)));
    answer_entity(req, document, revision);
    return OK;
}
