/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signing in on the pages of the organization's own identity provider: OpenID Connect, the code flow with PKCE, state and nonce. A browser is sent there with a
 * cookie that only it has (auth/person/visit.h), and brings a code back, which is exchanged here, on a thread, through the guard of addresses that tenants name.
 */
#include "api/api.h"
#include "api/sign_in/provider_parts.h"
#include "api/sign_in/sign_in.h"
#include "api/validate.h"
#include "base/json.h"
#include "base/log.h"
#include "store/federation/federation.h"

enum { CODE_MAX = 4096, URL_MAX = 32 * 1024 };

/* ---- What is sent ---- */
static const struct field begin_fields[] = {
    TEXT("username", "Who signs in: the address of the account.", REQUIRED, .min = 1, .max = 254),
    ID("identityProviderId", "Which one, where the address's domain has several.", 0),
    END_OF_FIELDS,
};
static const struct schema begin_schema = { "BeginWithProvider", "Who signs in with a provider.", begin_fields };

static const struct field finish_fields[] = {
    ID("identityProviderId", "The provider to whose own address here the browser came back.", REQUIRED),
    TEXT("code", "What the provider gave the browser.", REQUIRED | WRITE_ONLY, .min = 1, .max = CODE_MAX),
    TEXT("state", "What the browser was sent there with.", REQUIRED | WRITE_ONLY, .min = 1, .max = 100),
    TEXT("issuer", "Who the provider says that it is (`iss`).", 0, .min = 1, .max = 1024),
    END_OF_FIELDS,
};
static const struct schema finish_schema = { "FinishWithProvider", "What a browser brings back.", finish_fields };

/* ---- To the provider ---- */
static str
page_of(const json_t *row, const char *name)
{
    return provider_text(json_object_get(row, "pages"), name);
}

/* Each provider sends browsers to an address of its own, so that none can have us take another one's code for its own (RFC 9700, 4.4). */
static str
return_address(struct request *req, const json_t *row)
{
    return str_format(req->arena, "%.*s/console/sign-in/provider/%.*s", STR_ARG(req->api->base_url),
                      STR_ARG(provider_text(row, "id")));
}

static void
add_word(struct buf *out, char between, const char *name, str value)
{
    buf_format(out, "%c%s=", between, name);
    buf_add_percent_encoded(out, value);
}

static str
scopes_of(struct request *req, const json_t *row)
{
    struct buf out = buf_in(req->arena, URL_MAX);
    const json_t *more = json_object_get(row, "scopes");
    buf_add_text(&out, "openid");
    for (size_t i = 0; i < json_array_size(more); i++) {
        str scope = json_str(json_array_get(more, i));
        if (!str_is(scope, "openid"))
            buf_format(&out, " %.*s", STR_ARG(scope));
    }
    return buf_str(&out);
}

/* `session`: the one in which they confirm, and then the provider must ask them anew; none: they sign in. */
static error
send_there(struct request *req, const json_t *row, id session, str username)
{
    struct visit visit;
    str cookie;
    TRY(provider_new_visit(req, row, session, &visit, &cookie));
    if (provider_speaks_saml(row))
        return saml_send_there(req, row, &visit, cookie);
    str page = page_of(row, "authorization");
    struct buf url = buf_in(req->arena, URL_MAX);
    buf_add(&url, page);
    add_word(&url, str_find(page, '?') < 0 ? '?' : '&', "response_type", STR("code"));
    add_word(&url, '&', "client_id", provider_text(row, "clientId"));
    add_word(&url, '&', "redirect_uri", return_address(req, row));
    add_word(&url, '&', "scope", scopes_of(req, row));
    add_word(&url, '&', "state", visit.state);
    add_word(&url, '&', "nonce", visit.nonce);
    add_word(&url, '&', "code_challenge", visit_code_challenge(req->arena, &visit));
    add_word(&url, '&', "code_challenge_method", STR("S256"));
    add_word(&url, '&', "login_hint", username);
    if (id_is_there(session)) {
        add_word(&url, '&', "prompt", STR("login"));
        add_word(&url, '&', "max_age", STR("0"));
    }
    str made = buf_str(&url);
    if (made.len == 0)
        return fail(req->arena, OVERLOADED);
    return provider_answer_way(req, made, cookie);
}

/* More than one organization of a federation may have one for the same domain. */
static error
show_choice(struct request *req, const json_t *rows)
{
    json_t *list = json_in(req->arena, json_array());
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        str provider = provider_text(row, "id"), name = provider_text(row, "displayName");
        json_array_append_new(
            list, json_pack("{s:s%, s:s%}", "id", provider.data, provider.len, "displayName", name.data, name.len));
    }
    return sign_in_answer(req, json_pack("{s:O}", "identityProviders", list));
}

/* By the domain of the address alone: whether there is such a person is told by nobody but their provider. */
error
provider_begin(struct request *req)
{
    const json_t *rows, *row = NULL;
    TRY(request_read_body(req, &begin_schema));
    TRY(provider_check_offered(req));
    str username = json_text_at(req->body, "username"), wanted = json_text_at(req->body, "identityProviderId");
    id named = ID_NONE;
    if (wanted.len > 0 && !id_parse(wanted, &named))
        return request_not_found(req);
    TRY(store_federation_providers_of(req->api->store, req->arena, username, named, &rows));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *one = json_array_get(rows, i);
        if (wanted.len == 0 ? json_array_size(rows) == 1 : str_eq(provider_text(one, "id"), wanted))
            row = one;
    }
    if (row != NULL)
        return send_there(req, row, ID_NONE, username);
    return json_array_size(rows) > 0
               ? show_choice(req, rows)
               : passkey_refuse(req, "no organization here has a sign-in of its own for addresses of this domain");
}

error
provider_confirm(struct request *req)
{
    const json_t *row;
    TRY(sign_in_session(req));
    TRY(provider_check_offered(req));
    if (!id_is_there(req->caller->provider))
        return passkey_refuse(req, "this session began without a provider; confirm with a passkey or a password");
    TRY(store_federation_provider(req->api->store, req->arena, req->caller->provider, &row));
    return row == NULL ? provider_refuse_closed(req) : send_there(req, row, req->caller->session, req->caller->name);
}

/* ---- And back ---- */
/* Where it says who answers (RFC 9207), that must be it. */
static error
find_provider(struct request *req, const struct visit *visit, const json_t **ret_row)
{
    TRY(provider_find(req, visit, false, ret_row));
    str issuer = json_text_at(req->body, "issuer");
    bool must_say = json_is_true(json_object_get(json_object_get(*ret_row, "pages"), "namesIssuer"));
    if ((must_say || issuer.len > 0) && !str_eq(issuer, provider_text(*ret_row, "issuer")))
        return passkey_refuse(req, "the answer is another provider's");
    return OK;
}

static str
exchange_form(struct request *req, const json_t *row, const struct visit *visit)
{
    struct buf form = buf_in(req->arena, URL_MAX);
    buf_add_text(&form, "grant_type=authorization_code");
    add_word(&form, '&', "code", json_text_at(req->body, "code"));
    add_word(&form, '&', "redirect_uri", return_address(req, row));
    add_word(&form, '&', "client_id", provider_text(row, "clientId"));
    add_word(&form, '&', "code_verifier", visit->verifier);
    return buf_str(&form);
}

/* What went wrong is for the log: it is about the provider's server, and whoever asks is nobody yet. */
static error
refuse_exchange(struct request *req, const json_t *row, str why)
{
    log_line(LOG_WARNING, "provider_exchange_failed", "Identity provider %.*s took no code: %.*s",
             STR_ARG(provider_text(row, "id")), STR_ARG(why));
    return passkey_refuse(req, "the provider did not take the code, or did not answer in time");
}

/* Nothing is kept of a try: the provider takes a code once, and whoever tries waits for it themselves. */
static error
exchange(struct request *req, const json_t *row, const struct visit *visit, str *ret_id_token)
{
    str form = exchange_form(req, row, visit), body, why = STR_EMPTY;
    json_t *answer;
    id *turn;
    if (form.len == 0)
        return fail(req->arena, OVERLOADED);
    TRY(provider_take_turn(req, row, &turn));
    bool is_answered = req->api->send_form(req->arena, &req->api->egress, req->api->egress_ca, page_of(row, "token"),
                                           form, &body, &why);
    provider_end_turn(turn);
    if (!is_answered)
        return refuse_exchange(req, row, why);
    if (json_parse_within(req->arena, body, DOCUMENT_MAX_BYTES, &answer) != OK || !json_is_object(answer))
        return refuse_exchange(req, row, STR("What it answers is not a JSON object."));
    *ret_id_token = provider_text(answer, "id_token");
    return ret_id_token->len > 0 ? OK : refuse_exchange(req, row, STR("Its answer has no id_token."));
}

error
provider_finish(struct request *req)
{
    struct visit visit;
    struct federated_person person;
    const json_t *row;
    const char *why = NULL;
    str id_token;
    TRY(request_read_body(req, &finish_schema));
    TRY(provider_check_offered(req));
    TRY(provider_read_visit(req, json_text_at(req->body, "state"), &visit));
    TRY(find_provider(req, &visit, &row));
    TRY(exchange(req, row, &visit, &id_token));
    TRY(federation_take_id_token(req->api->auth, req->arena, &req->in.client, row, id_token, visit.nonce, &person,
                                 &why));
    if (why != NULL)
        return passkey_refuse(req, why);
    return provider_let_in(req, row, &visit, &person);
}
