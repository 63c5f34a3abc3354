/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identity providers of a federation. Tokens of OpenID Connect providers give access to the API (auth/federation.h).
 * SAML providers are for browsers only (api/sign_in/saml.c): one can be switched on when everything is known that this needs.
 */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/crypto/certificate_look.h"
#include "base/date.h"
#include "base/json.h"
#include "base/json_walk.h"
#include "base/net/egress.h"
#include "family/federation/federation.h"
#include "store/federation/federation.h"
#include "store/federation/identity_provider.h"

static const char *const protocols[] = { "OIDC", "SAML", NULL };
static const char *const types[] = { "WORKFORCE", "WORKLOAD", NULL };
static const char *const states[] = { "ACTIVE", "INACTIVE", NULL };
static const char *const authorization_types[] = { "GROUP", "USER", NULL };
static const char *const bindings[] = { "HTTP-POST", "HTTP-REDIRECT", NULL };
static const char *const signature_algorithms[] = { "SHA-1", "SHA-256", NULL };

#define CLAIM_PATTERN "^[A-Za-z0-9_.:/@-]+$"
#define SCOPE_PATTERN "^[A-Za-z0-9_.:/@-]{1,255}$"

static const struct field oidc_fields[] = {
    TEXT("audience", "Value that the claim `aud` of tokens must have or contain.", REQUIRED, .min = 1, .max = 255,
         .example = "\"https://reeve.example.org\""),
    TEXT("authorizationType",
         "Whether groups in tokens give roles (by role mappings), or only what was granted to the user counts.", 0,
         .one_of = authorization_types, .fallback = "\"GROUP\""),
    TEXT(
        "clientId",
        "The only client whose tokens are accepted, by the claim `azp` or `client_id`; null for any. People can sign in on the provider's pages when it "
        "is set: it is a public client there, with PKCE and without a secret.",
        NULLABLE, .min = 1, .max = 255),
    TEXT("groupsClaim", "The claim with the names of the user's groups.", 0, .min = 1, .max = 255,
         .pattern = CLAIM_PATTERN, .fallback = "\"groups\""),
    TEXT(
        "userClaim",
        "The claim that says who it is: a user's e-mail address, which is the user name here (`email` unless another is named), or the `subject` by which a "
        "service account trusts a program (`sub`).",
        0, .min = 1, .max = 255, .pattern = CLAIM_PATTERN),
    LIST(
        "requestedScopes",
        "Scopes that people are sent to its pages with, beside `openid`. The ID token must have the claim that names the user.",
        0, .item = TYPE_TEXT, .max = 20, .pattern = SCOPE_PATTERN, .fallback = "[\"email\"]"),
    TEXT("status", "Whether its tokens are accepted, and people can sign in on its pages.", 0, .one_of = states,
         .fallback = "\"ACTIVE\""),
    LIST("keyIds", "Identifiers of the public keys that are known.", READ_ONLY, .item = TYPE_TEXT),
    DATE("keysFetchedAt", "When its public keys were last fetched.", READ_ONLY),
    TEXT("keysError", "Why its public keys could not be fetched last time.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema oidc_schema = { "Oidc", "Settings of an OpenID Connect provider.", oidc_fields };

static const struct field certificate_fields[] = {
    TEXT("content", "The certificate in PEM.", REQUIRED | WRITE_ONLY, .min = 1, .max = 16384),
    DATE("notBefore", "From when it is valid.", READ_ONLY),
    DATE("notAfter", "Until when it is valid.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema certificate_schema = { "IdentityProviderCertificate",
                                                  "A certificate with which the provider signs its responses.",
                                                  certificate_fields };
static const struct field pem_fields[] = {
    TEXT("fileName", "Name of the file that they came from.", 0, .max = 255),
    LIST("certificates", "Certificates; none may have expired.", REQUIRED, .of = &certificate_schema, .min = 1,
         .max = 10),
    END_OF_FIELDS,
};
static const struct schema pem_schema = { "IdentityProviderCertificates", "Certificates of a SAML provider.",
                                          pem_fields };
static const struct field saml_fields[] = {
    TEXT("ssoUrl", "Where people are sent to sign in, with https. ACTIVE needs it.", 0, .min = 9, .max = EGRESS_MAX_URL,
         .example = "\"https://login.example.org/saml\""),
    BOOL(
        "ssoDebugEnabled",
        "For trying the provider out: whoever names it (`identityProviderId`) can sign in with it with an address of any domain of the federation, "
        "also when no domain is associated.",
        0, .fallback = "false"),
    TEXT("requestBinding", "How people are sent there: with a form, or with an address that has the request in it.", 0,
         .one_of = bindings, .fallback = "\"HTTP-POST\""),
    TEXT(
        "responseSignatureAlgorithm",
        "The weakest hash in signatures that is taken. With SHA-256, also SHA-384 and SHA-512; SHA-1 takes these and SHA-1, which can be forged.",
        0, .one_of = signature_algorithms, .fallback = "\"SHA-256\""),
    OBJECT("pemFileInfo", "Certificates with which the provider signs assertions. ACTIVE needs one.", 0,
           .of = &pem_schema),
    TEXT("status", "Whether people can sign in with it. ACTIVE needs `ssoUrl` and `pemFileInfo`.", 0, .one_of = states,
         .fallback = "\"INACTIVE\""),
    TEXT("acsUrl", "Where the provider has browsers post its answers.", READ_ONLY),
    TEXT("audienceUri", "Name of this service for the provider (its entity ID).", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema saml_schema = { "Saml", "Settings of a SAML provider.", saml_fields };

static const struct field_variant protocol_variants[] = {
    { "OIDC", &oidc_schema },
    { "SAML", &saml_schema },
    END_OF_VARIANTS,
};

static const struct field identity_provider_fields[] = {
    ID("id", "Identifier of the identity provider.", READ_ONLY | ALWAYS),
    TEXT("protocol", "Protocol of the provider. It cannot be changed.", ALWAYS, .one_of = protocols,
         .fallback = "\"OIDC\"", .variants = protocol_variants),
    TEXT(
        "idpType",
        "Whether its tokens are people's, or those of programs (WORKLOAD, with OIDC only): they stand for service accounts that name it in "
        "`trustedIdentities`. It cannot be changed.",
        ALWAYS, .one_of = types, .fallback = "\"WORKFORCE\""),
    TEXT("displayName", "Label.", REQUIRED | ALWAYS, .min = 1, .max = 50, .example = "\"Company login\""),
    TEXT("description", "What it is for.", NULLABLE, .max = 250),
    TEXT("issuerUri",
         "Name of the issuer. For OIDC: an https address, exactly as in the claim `iss`. Its discovery document says "
         "where its keys are.",
         REQUIRED | ALWAYS, .min = 1, .max = 1024, .example = "\"https://login.example.org\""),
    LIST("associatedDomains",
         "Domains of the e-mail addresses of its users. The operator must have given each of them to the federation.",
         ALWAYS, .item = TYPE_TEXT, .max = 100, .pattern = DOMAIN_PATTERN, .fallback = "[]",
         .example = "[\"example.org\"]"),
    LIST("associatedOrgs", "Organizations that use it.", READ_ONLY | ALWAYS, .of = &connected_organization_schema),
    DATE("createdAt", "When it was created.", READ_ONLY | ALWAYS),
    DATE("updatedAt", "When it was last changed.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema identity_provider_schema = { "IdentityProvider", "Where the people of organizations sign in.",
                                                 identity_provider_fields };

const struct field identity_provider_query[] = {
    LIST("protocol", "Only providers with these protocols.", 0, .item = TYPE_TEXT, .max = 2, .one_of = protocols),
    LIST("idpType", "Only providers of these types.", 0, .item = TYPE_TEXT, .max = 2, .one_of = types),
    END_OF_FIELDS,
};
const struct field identity_provider_path[] = {
    ID("identityProviderId", "Identifier of the identity provider.", 0),
    END_OF_FIELDS,
};

/* What is kept in the row's settings: everything that was sent but what has a column of its own. */
static const char *const settings_of_all[] = { "idpType", "displayName", "description", NULL };
static const char *const settings_of_oidc[] = { "audience",  "authorizationType", "clientId", "groupsClaim",
                                                "userClaim", "requestedScopes",   NULL };
static const char *const settings_of_saml[] = { "ssoUrl",         "ssoDebugEnabled",
                                                "requestBinding", "responseSignatureAlgorithm",
                                                "pemFileInfo",    "acsUrl",
                                                "audienceUri",    NULL };

/* ---- Reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    id provider;
    TRY(request_path_id(req, "identityProviderId", &provider));
    params_id(params, P_ORGANIZATION, req->organization);
    params_id(params, P_PROVIDER, provider);
    return OK;
}

/* Only what speaks SAML has metadata. */
static error
answer_provider(struct request *req, const struct rows *rows)
{
    TRY(answer_row(req, rows));
    if (str_is(json_walk_find(rows_text(rows, 0, C_DOCUMENT), "protocol"), "\"SAML\""))
        answer_relate(req, "/metadata.xml",
                      str_format(req->arena, "/federationSettings/%.*s/identityProviders/%.*s/metadata.xml",
                                 STR_ARG(request_path_value(req, "federationSettingsId")),
                                 STR_ARG(request_path_value(req, "identityProviderId"))));
    return OK;
}

const struct read identity_provider_get = { SQL_IDENTITY_PROVIDER_GET, bind_get, answer_provider };

static bool
asks_for(const struct request *req, const char *parameter, const char *value)
{
    bool asked = false;
    for (size_t i = 0; i < req->query_count; i++) {
        if (!str_is(req->query[i].name, parameter))
            continue;
        if (str_is(req->query[i].value, value))
            return true;
        asked = true;
    }
    return !asked;
}

/* Those of the words that a parameter names, or all when it is not there: a JSON list. */
static str
asked_of(const struct request *req, const char *parameter, const char *const *words)
{
    json_t *asked = json_in(req->arena, json_array());
    for (; *words != NULL; words++) {
        if (asks_for(req, parameter, *words))
            json_array_append_new(asked, json_string(*words));
    }
    return json_text(req->arena, asked);
}

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    params_text(params, P_PROTOCOLS, asked_of(req, "protocol", protocols));
    params_text(params, P_TYPES, asked_of(req, "idpType", types));
    return OK;
}

const struct read identity_provider_list = { SQL_IDENTITY_PROVIDER_LIST, bind_list, list_answer };

/* ---- What is allowed ---- */

static error
refuse(struct request *req, const char *attribute, const char *why)
{
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(attribute), V(why));
}

static error
check_issuer(struct request *req, str issuer)
{
    const char *why;
    struct egress_url url;
    if (!egress_parse(req->arena, issuer, &url, &why))
        return refuse(req, "issuerUri", why);
    if (str_find(issuer, '?') >= 0)
        return refuse(req, "issuerUri", "an issuer must not have a query");
    if (!egress_host_may_be_allowed(&req->api->egress, &url))
        return refuse(req, "issuerUri", "its address is not public, and the operator does not allow it (egress_allow)");
    return OK;
}

/* In lower case, and all of them the federation's. */
static error
check_domains(struct request *req, json_t *document)
{
    json_t *domains = json_in(req->arena, json_array());
    const json_t *named = json_object_get(document, "associatedDomains");
    for (size_t i = 0; i < json_array_size(named); i++) {
        str domain = str_dup(req->arena, json_str(json_array_get(named, i)));
        for (size_t k = 0; k < domain.len; k++) {
            if (domain.data[k] >= 'A' && domain.data[k] <= 'Z')
                ((char *)domain.data)[k] = (char)(domain.data[k] - 'A' + 'a');
        }
        json_array_append_new(domains, json_stringn(domain.data, domain.len));
    }
    json_object_set(document, "associatedDomains", domains);
    str foreign;
    TRY(store_federation_foreign_domain(req->tx, req->organization, json_text(req->arena, domains), &foreign));
    if (foreign.len == 0)
        return OK;
    return refuse(
        req, "associatedDomains",
        str_format(req->arena, "%.*s is not a domain of this federation; the operator adds domains", STR_ARG(foreign))
            .data);
}

/* What is sent has the certificates; what is kept has their dates, and the certificates where nobody is shown them. */
static error
take_certificates(struct request *req, json_t *document, json_t *hidden)
{
    json_t *sent = json_object_get(json_object_get(req->body, "pemFileInfo"), "certificates");
    if (sent == NULL)
        return OK;
    json_t *shown = json_in(req->arena, json_array());
    json_t *kept = json_in(req->arena, json_array());
    for (size_t i = 0; i < json_array_size(sent); i++) {
        struct certificate_facts facts;
        json_t *content = json_object_get(json_array_get(sent, i), "content");
        str attribute = str_format(req->arena, "pemFileInfo.certificates[%zu].content", i);
        if (!certificate_read(json_str(content), &facts))
            return refuse(req, attribute.data, "it must be a certificate in PEM");
        if (facts.not_after_ms <= clock_now_ms())
            return refuse(req, attribute.data, "the certificate has expired");
        if (!facts.is_strong)
            return refuse(req, attribute.data, "its key must be RSA of at least 2048 bits, or ECDSA of at least 256");
        str from = date_text(req->arena, facts.not_before_ms), until = date_text(req->arena, facts.not_after_ms);
        json_array_append_new(
            shown, json_pack("{s:s%, s:s%}", "notBefore", from.data, from.len, "notAfter", until.data, until.len));
        json_array_append(kept, content);
    }
    json_t *info = json_in(req->arena, json_object());
    json_object_update(info, json_object_get(req->body, "pemFileInfo"));
    json_object_set(info, "certificates", shown);
    json_object_set(document, "pemFileInfo", info);
    json_object_set(hidden, "certificates", kept);
    return OK;
}

/* Browsers are sent there, and nothing of ours: so the address may be inside, but what it begins with is ours to say. */
static error
check_sso_url(struct request *req, str url)
{
    struct egress_url parts;
    const char *why;
    return egress_parse(req->arena, url, &parts, &why) ? OK : refuse(req, "ssoUrl", why);
}

static error
check_saml(struct request *req, const json_t *document)
{
    str url = json_str(json_object_get(document, "ssoUrl"));
    bool is_on = str_is(json_str(json_object_get(document, "status")), "ACTIVE");
    if (url.len > 0)
        TRY(check_sso_url(req, url));
    if (is_on && url.len == 0)
        return refuse(req, "status", "without ssoUrl nobody can be sent there");
    if (is_on && json_array_size(json_object_get(json_object_get(document, "pemFileInfo"), "certificates")) == 0)
        return refuse(req, "status", "without a certificate in pemFileInfo no answer could be checked");
    return OK;
}

static error
check(struct request *req, json_t *document)
{
    bool saml = str_is(json_str(json_object_get(document, "protocol")), "SAML");
    bool programs = str_is(json_str(json_object_get(document, "idpType")), "WORKLOAD");
    if (saml && programs)
        return refuse(req, "idpType", "programs have tokens of OpenID Connect; SAML is for people in a browser");
    if (!saml && json_object_get(document, "userClaim") == NULL)
        json_object_set_new(document, "userClaim", json_string(programs ? "sub" : "email"));
    TRY(saml ? check_saml(req, document) : check_issuer(req, json_str(json_object_get(document, "issuerUri"))));
    return check_domains(req, document);
}

static void
keep(json_t *settings, const json_t *document, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (json_object_get(document, *names) != NULL)
            json_object_set(settings, *names, json_object_get(document, *names));
    }
}

static struct identity_provider_draft
draft_of(struct request *req, const json_t *document, const json_t *hidden)
{
    str protocol = json_str(json_object_get(document, "protocol"));
    json_t *settings = json_in(req->arena, json_object());
    keep(settings, document, settings_of_all);
    keep(settings, document, str_is(protocol, "OIDC") ? settings_of_oidc : settings_of_saml);
    if (json_object_size(hidden) > 0)
        json_object_set(settings, "hidden", (json_t *)hidden);
    return (struct identity_provider_draft){
        .protocol = protocol,
        .status = json_str(json_object_get(document, "status")),
        .issuer = json_str(json_object_get(document, "issuerUri")),
        .domains = json_text(req->arena, json_object_get(document, "associatedDomains")),
        .settings = json_text(req->arena, settings),
    };
}

/* ---- Changing ---- */

/* Events do not repeat what changes by itself. */
static json_t *
for_event(struct request *req, str text)
{
    static const char *const left_out[] = { "associatedOrgs", "keyIds", "keysFetchedAt", "keysError" };
    json_t *document = json_parse_own(req->arena, text);
    for (size_t i = 0; document != NULL && i < LENGTH(left_out); i++)
        json_object_del(document, left_out[i]);
    return document;
}

/* What an organization that uses the provider relies on: everything but its labels. */
static bool
has_same_meaning(const json_t *before, const json_t *after)
{
    static const char *const labels[] = { "displayName", "description" };
    json_t *left = json_copy((json_t *)before), *right = json_copy((json_t *)after);
    for (size_t i = 0; i < LENGTH(labels); i++) {
        json_object_del(left, labels[i]);
        json_object_del(right, labels[i]);
    }
    bool same = left != NULL && right != NULL && json_equal(left, right);
    json_decref(left);
    json_decref(right);
    return same;
}

static id
user_at(const json_t *document, size_t index)
{
    id organization;
    const json_t *user = json_array_get(json_object_get(document, "associatedOrgs"), index);
    bool is_one = id_parse(json_str(json_object_get(user, "orgId")), &organization);
    return is_one ? organization : ID_NONE;
}

static size_t
user_count(const json_t *document)
{
    return json_array_size(json_object_get(document, "associatedOrgs"));
}

static bool
is_used_by(const json_t *document, id organization)
{
    for (size_t i = 0; i < user_count(document); i++) {
        if (id_eq(user_at(document, i), organization))
            return true;
    }
    return false;
}

/* Who decides what a token says decides who comes in. So nobody decides it for others: while another organization uses the
 * provider, it stays what it was when that organization chose it. */
static error
check_not_shared(struct request *req, id provider, const json_t *document)
{
    struct buf others = buf_in(req->arena, EGRESS_MAX_URL);
    for (size_t i = 0; i < user_count(document); i++) {
        id organization = user_at(document, i);
        if (id_eq(organization, req->organization))
            continue;
        buf_add_text(&others, buf_str(&others).len == 0 ? "" : ", ");
        buf_add(&others, id_text(req->arena, organization));
    }
    if (buf_str(&others).len == 0)
        return OK;
    return fail(req->arena, IDENTITY_PROVIDER_IS_SHARED, V(id_text(req->arena, provider)), V(buf_str(&others)));
}

/* In the chain of the caller's organization and of every other one that uses the provider, in the order of their ids, as everybody does
 * who writes into several chains. The transaction is the caller's organization's again afterwards. */
static error
event_for_users(struct request *req, enum event_type type, const json_t *users, const json_t *before,
                const json_t *after)
{
    bool is_told = false;
    for (size_t i = 0; i <= user_count(users); i++) {
        bool is_end = i == user_count(users);
        id organization = is_end ? req->organization : user_at(users, i);
        if (!is_told && (is_end || memcmp(organization.bytes, req->organization.bytes, ID_BYTES) >= 0)) {
            TRY(request_event(req, type, before, after));
            is_told = true;
        }
        if (id_eq(organization, req->organization))
            continue;
        TRY(tx_set_organization(req->tx, organization));
        TRY(request_event_in(req, type, organization, ID_NONE, before, after));
        TRY(tx_set_organization(req->tx, req->organization));
    }
    return OK;
}

static void
name_places(struct request *req, id provider, json_t *document)
{
    str base = req->api->base_url;
    str own = id_text(req->arena, provider);
    str audience = str_format(req->arena, "%.*s/api/saml/%s", STR_ARG(base), own.data);
    str acs = str_format(req->arena, "%.*s/api/saml/%s/acs", STR_ARG(base), own.data);
    json_object_set_new(document, "audienceUri", json_stringn(audience.data, audience.len));
    json_object_set_new(document, "acsUrl", json_stringn(acs.data, acs.len));
}

error
identity_provider_create(struct request *req)
{
    id federation, provider = id_new(store_cell(req->api->store));
    int64_t count, revision;
    str text;
    json_t *hidden = json_in(req->arena, json_object()), *document = json_in(req->arena, json_copy(req->body));
    TRY(store_federation_lock(req->tx, req->organization, &federation));
    TRY(store_identity_provider_count(req->tx, req->organization, &count));
    if (count >= IDENTITY_PROVIDER_MAX)
        return fail(req->arena, TOO_MANY_IDENTITY_PROVIDERS, V(count));
    TRY(check(req, document));
    TRY(take_certificates(req, document, hidden));
    if (str_is(json_str(json_object_get(document, "protocol")), "SAML"))
        name_places(req, provider, document);
    struct identity_provider_draft draft = draft_of(req, document, hidden);
    TRY(store_identity_provider_add(req->tx, req->organization, provider, &draft));
    TRY(store_federation_changed(req->tx, federation));
    TRY(store_identity_provider_lock(req->tx, req->organization, provider, &text, &revision, NULL));
    TRY(request_event(req, EVENT_IDENTITY_PROVIDER_CREATED, NULL, for_event(req, text)));
    answer_created(req, text, id_text(req->arena, provider), revision);
    return OK;
}

static error
lock_named(struct request *req, id *ret_federation, id *ret_provider, str *ret_text, str *ret_hidden)
{
    int64_t revision;
    TRY(request_path_id(req, "identityProviderId", ret_provider));
    TRY(store_federation_lock(req->tx, req->organization, ret_federation));
    TRY(store_identity_provider_lock(req->tx, req->organization, *ret_provider, ret_text, &revision, ret_hidden));
    if (ret_text->len == 0)
        return request_not_found(req);
    return request_check_match(req, revision);
}

static error
check_stays(struct request *req, const json_t *before, const char *name)
{
    const json_t *sent = json_object_get(req->body, name);
    return sent == NULL || json_equal(sent, json_object_get(before, name))
               ? OK
               : refuse(req, name, "it cannot be changed; create another identity provider");
}

error
identity_provider_update(struct request *req)
{
    id federation, provider;
    str before, after, hidden_text;
    int64_t revision;
    TRY(lock_named(req, &federation, &provider, &before, &hidden_text));
    json_t *document = json_parse_own(req->arena, before), *hidden = json_parse_own(req->arena, hidden_text);
    if (document == NULL || hidden == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(validate_change(req->arena, &identity_provider_schema, VALIDATE_UPDATE, document, req->body));
    TRY(check_stays(req, document, "protocol"));
    TRY(check_stays(req, document, "idpType"));
    json_t *as_it_was = json_in(req->arena, json_deep_copy(document));
    json_object_update(document, req->body);
    TRY(check(req, document));
    TRY(take_certificates(req, document, hidden));
    if (str_is(json_str(json_object_get(document, "protocol")), "SAML"))
        name_places(req, provider, document);
    if (json_object_get(req->body, "pemFileInfo") != NULL || !has_same_meaning(as_it_was, document))
        TRY(check_not_shared(req, provider, as_it_was));
    struct identity_provider_draft draft = draft_of(req, document, hidden);
    TRY(store_identity_provider_update(req->tx, req->organization, provider, &draft));
    TRY(store_federation_changed(req->tx, federation));
    TRY(store_identity_provider_lock(req->tx, req->organization, provider, &after, &revision, NULL));
    TRY(event_for_users(req, EVENT_IDENTITY_PROVIDER_CHANGED, as_it_was, for_event(req, before),
                        for_event(req, after)));
    answer_entity(req, after, revision);
    return OK;
}

error
identity_provider_delete(struct request *req)
{
    id federation, provider;
    str before;
    bool in_use;
    TRY(lock_named(req, &federation, &provider, &before, NULL));
    TRY(store_identity_provider_delete(req->tx, req->organization, provider, &in_use));
    if (in_use)
        return fail(req->arena, IDENTITY_PROVIDER_IN_USE, V(id_text(req->arena, provider)));
    TRY(store_federation_changed(req->tx, federation));
    TRY(request_event(req, EVENT_IDENTITY_PROVIDER_DELETED, for_event(req, before), NULL));
    answer_nothing(req);
    return OK;
}

error
identity_provider_revoke_keys(struct request *req)
{
    id federation, provider;
    str before;
    TRY(lock_named(req, &federation, &provider, &before, NULL));
    const json_t *document = json_parse_own(req->arena, before);
    if (!str_is(json_str(json_object_get(document, "protocol")), "OIDC"))
        return request_not_found(req);
    /* Keys that are still published come back, so this lets nobody in. But it shuts people out for a while, and that
     * is not for an organization to do whose people do not come this way. */
    if (!is_used_by(document, req->organization))
        TRY(check_not_shared(req, provider, document));
    TRY(store_identity_provider_forget_keys(req->tx, req->organization, provider));
    TRY(store_federation_changed(req->tx, federation));
    json_t *said = json_in(req->arena, json_pack("{s:s, s:O}", "id", id_text(req->arena, provider).data, "keyIds",
                                                 json_object_get(document, "keyIds")));
    TRY(event_for_users(req, EVENT_IDENTITY_PROVIDER_KEYS_REVOKED, document, said, NULL));
    answer_nothing(req);
    return OK;
}

/* ---- Metadata ---- */

error
identity_provider_metadata(struct request *req)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(bind_get(req, &params));
    TRY(store_read(req->api->store, req->arena, SQL_IDENTITY_PROVIDER_GET, &params, &rows));
    const json_t *document = rows.count == 0 ? NULL : json_parse_own(req->arena, rows_text(&rows, 0, C_DOCUMENT));
    /* An OpenID Connect provider has none: it needs to know nothing about this service. */
    if (!str_is(json_str(json_object_get(document, "protocol")), "SAML"))
        return request_not_found(req);
    /* Both addresses are made of the service's own and an identifier: nothing in them needs quoting. */
    str audience = json_str(json_object_get(document, "audienceUri"));
    str acs = json_str(json_object_get(document, "acsUrl"));
    answer_file(
        req,
        str_format(req->arena,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<md:EntityDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"%.*s\">\n"
                   "  <md:SPSSODescriptor AuthnRequestsSigned=\"false\" WantAssertionsSigned=\"true\"\n"
                   "      protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\">\n"
                   "    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>\n"
                   "    <md:AssertionConsumerService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\"\n"
                   "        Location=\"%.*s\" index=\"0\" isDefault=\"true\"/>\n"
                   "  </md:SPSSODescriptor>\n"
                   "</md:EntityDescriptor>\n",
                   STR_ARG(audience), STR_ARG(acs)));
    return OK;
}
