/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signing in on the pages of a SAML 2.0 provider. The way there and back is that of provider.c; what differs is that the answer comes as a form that another site has the browser post
 * (acsUrl). Such a request has no cookie of ours (SameSite=Strict), and must not count: else another site could sign somebody in as somebody else. So all that it gets is a page that
 * hands the answer to the console, by the browser's own storage; the console's page brings it back as all of signing in is brought, with the cookie and from our own origin.
 * Nothing is kept of it, looked up for it, or read in it until then.
 */
#include "api/api.h"
#include "api/sign_in/provider_parts.h"
#include "api/sign_in/sign_in.h"
#include "api/stage/stages.h"
#include "api/validate.h"
#include "auth/oauth.h"
#include "auth/saml/answer.h"
#include "auth/saml/request.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "store/federation/federation.h"

enum { PAGE_MAX = 128 * 1024, ANSWER_TEXT_MAX = 80 * 1024 };

/* ---- What is sent ---- */
static const struct field finish_fields[] = {
    ID("identityProviderId", "The provider to whose own address here the browser came back.", REQUIRED),
    TEXT("samlResponse", "What the provider had the browser post, in base64.", REQUIRED | WRITE_ONLY, .min = 1,
         .max = ANSWER_TEXT_MAX),
    TEXT("relayState", "What the browser was sent there with.", REQUIRED | WRITE_ONLY, .min = 1, .max = 100),
    END_OF_FIELDS,
};
static const struct schema finish_schema = { "FinishWithSamlProvider",
                                             "What a browser brings back from a SAML provider.", finish_fields };

/* ---- Pages ---- */
/* They have one script each, whose hash the policy names: nothing else may run, and what others wrote stands in attributes only. */
static const char hand_over_script[] =
    "(()=>{const{provider,response,state}=document.getElementById(\"answer\").dataset;"
    "sessionStorage.setItem(\"reeve.saml\",JSON.stringify({provider,response,state}));"
    "location.replace(\"/console/sign-in/provider/\"+provider)})()";
static const char send_script[] = "document.getElementById(\"question\").submit()";

static error
answer_page(struct request *req, str body, const char *script, const char *policy)
{
    uint8_t hash[SHA256_BYTES];
    struct buf page = buf_in(req->arena, PAGE_MAX);
    buf_add_text(
        &page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Signing in</title>\n</head>\n<body>\n");
    buf_add(&page, body);
    buf_format(&page, "<script>%s</script>\n</body>\n</html>\n", script);
    crypto_sha256(str_from(script), hash);
    str made = buf_str(&page), digest = str_base64(req->arena, hash, sizeof(hash));
    if (made.len == 0 || digest.len == 0)
        return fail(req->arena, OVERLOADED);
    req->out = (struct response){ .status = 200, .body = made, .content_type = STR("text/html; charset=utf-8") };
    response_header(
        &req->out, STR("Content-Security-Policy"),
        str_format(req->arena,
                   "default-src 'none'; script-src 'sha256-%s'; base-uri 'none'; frame-ancestors 'none'; %s",
                   digest.data, policy));
    response_header(&req->out, STR("Referrer-Policy"), STR("no-referrer"));
    response_header(&req->out, STR("Cross-Origin-Opener-Policy"), STR("same-origin"));
    return OK;
}

static void
add_quoted(struct buf *out, const char *name, str value)
{
    buf_format(out, " %s=\"", name);
    saml_add_quoted(out, value);
    buf_add_char(out, '"');
}

/* ---- To the provider ---- */
static str
setting(const json_t *row, const char *name)
{
    return provider_text(json_object_get(row, "saml"), name);
}

static str
request_id(struct request *req, const struct visit *visit)
{
    return str_format(req->arena, "_%.*s", STR_ARG(visit->nonce));
}

static struct saml_request
request_of(struct request *req, const json_t *row, const struct visit *visit)
{
    return (struct saml_request){
        .id = request_id(req, visit),
        .audience = setting(row, "audienceUri"),
        .acs = setting(row, "acsUrl"),
        .sso_url = setting(row, "ssoUrl"),
        .now_s = clock_now_ms() / 1000,
        .asks_anew = id_is_there(visit->session),
    };
}

/* A form can be posted by a page only: where the provider wants one, the browser goes there by a page of ours. */
error
saml_send_there(struct request *req, const json_t *row, const struct visit *visit, str cookie)
{
    struct saml_request request = request_of(req, row, visit);
    bool posts = str_is(setting(row, "requestBinding"), "HTTP-POST");
    str url = posts ? str_format(req->arena, "%.*s/api/saml/%.*s/request", STR_ARG(req->api->base_url),
                                 STR_ARG(provider_text(row, "id")))
                    : saml_request_address(req->arena, &request, visit->state);
    return url.len == 0 ? fail(req->arena, OVERLOADED) : provider_answer_way(req, url, cookie);
}

/* Whoever has no visit, or an old one, begins again. */
static error
answer_begin_again(struct request *req)
{
    req->out = (struct response){ .status = 303, .body = STR_EMPTY, .content_type = STR_EMPTY };
    response_header(&req->out, STR("Location"),
                    str_format(req->arena, "%.*s/console/sign-in", STR_ARG(req->api->base_url)));
    return OK;
}

static error
answer_question(struct request *req, id provider)
{
    struct visit visit;
    const json_t *row;
    if (!req->may_block)
        return WOULD_BLOCK;
    if (provider_visit_of_browser(req, &visit) != OK || !id_eq(provider, visit.provider))
        return answer_begin_again(req);
    TRY(store_federation_provider(req->api->store, req->arena, provider, &row));
    if (row == NULL || !provider_speaks_saml(row))
        return answer_begin_again(req);
    struct saml_request request = request_of(req, row, &visit);
    struct buf body = buf_in(req->arena, PAGE_MAX);
    buf_add_text(&body, "<form id=\"question\" method=\"post\"");
    add_quoted(&body, "action", request.sso_url);
    buf_add_text(&body, ">\n<input type=\"hidden\" name=\"SAMLRequest\"");
    add_quoted(&body, "value", saml_request_posted(req->arena, &request));
    buf_add_text(&body, ">\n<input type=\"hidden\" name=\"RelayState\"");
    add_quoted(&body, "value", visit.state);
    buf_add_text(&body, ">\n<button>Go on to your organization's sign-in</button>\n</form>\n");
    return answer_page(req, buf_str(&body), send_script, "form-action https:");
}

/* ---- From the provider ---- */
static bool
is_base64(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
           c == '=';
}

/* base64 without the line breaks that some have in it; empty when it is anything else. */
static str
tight(struct request *req, str text)
{
    struct buf out = buf_in(req->arena, ANSWER_TEXT_MAX);
    for (size_t i = 0; i < text.len; i++) {
        if (is_base64(text.data[i]))
            buf_add_char(&out, text.data[i]);
        else if (text.data[i] != '\r' && text.data[i] != '\n' && text.data[i] != ' ')
            return STR_EMPTY;
    }
    return buf_str(&out);
}

static bool
is_state(str text)
{
    uint8_t bytes[SHA256_BYTES];
    return text.len == VISIT_WORD_LENGTH && str_from_base64url(text, bytes, sizeof(bytes));
}

/* Both fields of the form. What is not as it must be, or comes twice, is empty: the console says so. */
static void
read_form(struct request *req, str *ret_response, str *ret_state)
{
    str rest = req->in.body;
    bool is_repeated = !oauth_is_form(req->in.content_type);
    *ret_response = *ret_state = STR_EMPTY;
    while (rest.len > 0) {
        str value = str_cut(&rest, '&'), name = str_cut(&value, '='), plain;
        str *into = str_is(name, "SAMLResponse") ? ret_response : str_is(name, "RelayState") ? ret_state : NULL;
        if (into == NULL)
            continue;
        is_repeated |= into->len > 0;
        *into = str_percent_decode(req->arena, value, true, &plain) ? plain : STR_EMPTY;
    }
    *ret_response = is_repeated ? STR_EMPTY : tight(req, *ret_response);
    *ret_state = is_state(*ret_state) ? *ret_state : STR_EMPTY;
}

static error
take_over(struct request *req, id provider)
{
    str response, state;
    TRY(request_admit(req, SAML_FORM_MAX_BYTES));
    read_form(req, &response, &state);
    struct buf body = buf_in(req->arena, PAGE_MAX);
    buf_add_text(&body, "<noscript>Signing in needs JavaScript.</noscript>\n<div id=\"answer\"");
    add_quoted(&body, "data-provider", id_text(req->arena, provider));
    add_quoted(&body, "data-response", response);
    add_quoted(&body, "data-state", state);
    buf_add_text(&body, "></div>\n");
    return answer_page(req, buf_str(&body), hand_over_script, "form-action 'none'");
}

error
saml_page(struct request *req)
{
    str rest = str_slice(req->path, sizeof(SAML_PATH) - 1, req->path.len), name = str_cut(&rest, '/');
    bool posts = str_is(req->in.method, "POST");
    id provider;
    if (!req->api->has_console || !id_parse(name, &provider))
        return request_not_found(req);
    if (str_is(rest, "acs") && posts)
        return take_over(req, provider);
    if (str_is(rest, "request") && !posts)
        return answer_question(req, provider);
    if (str_is(rest, "acs")) /* somebody came back to it with their browser's button */
        return answer_begin_again(req);
    return request_not_found(req);
}

/* ---- Back, from our own page ---- */
error
provider_has_visit(struct request *req)
{
    struct visit visit;
    return provider_visit_of_browser(req, &visit);
}

static error
read_answer(struct request *req, const json_t *row, const struct visit *visit, struct saml_statement *ret_statement,
            const char **ret_why)
{
    struct saml_question question = {
        .issuer = provider_text(row, "issuer"),
        .audience = setting(row, "audienceUri"),
        .acs = setting(row, "acsUrl"),
        .request_id = request_id(req, visit),
        .asked_at_s = visit->began_at_s,
        .trust = {
            .certificates = json_object_get(json_object_get(row, "saml"), "certificates"),
            .takes_sha1 = str_is(setting(row, "responseSignatureAlgorithm"), "SHA-1"),
            .now_ms = clock_now_ms(),
        },
    };
    id *turn;
    str xml;
    *ret_why = "what the browser brought is not base64";
    if (!saml_xml_bytes(req->arena, json_text_at(req->body, "samlResponse"), &xml))
        return OK;
    TRY(provider_take_turn(req, row, &turn));
    bool is_read = saml_answer_read(req->arena, xml, &question, ret_statement, ret_why);
    provider_end_turn(turn);
    *ret_why = is_read ? NULL : *ret_why;
    return OK;
}

/* The person is told what to change; so are, now and then, the organizations that use the provider: it is their administrators who can. */
static error
refuse_answer(struct request *req, const struct visit *visit, const char *why)
{
    struct refused_answer refused = {
        .provider = visit->provider,
        .why = str_from(why),
        .address = net_address_text(req->arena, &req->in.client),
        .request_id = req->in.request_id,
    };
    log_line(LOG_WARNING, "provider_answer_refused", "An answer of identity provider %s was refused: %s",
             id_text(req->arena, visit->provider).data, why);
    TRY(store_federation_answer_refused(req->api->store, req->arena, &refused));
    return passkey_refuse(req, why);
}

error
provider_finish_saml(struct request *req)
{
    struct visit visit;
    struct saml_statement statement;
    struct federated_person person;
    const json_t *row;
    const char *why = NULL;
    TRY(request_read_body(req, &finish_schema));
    TRY(provider_check_offered(req));
    TRY(provider_read_visit(req, json_text_at(req->body, "relayState"), &visit));
    TRY(provider_find(req, &visit, true, &row));
    TRY(read_answer(req, row, &visit, &statement, &why));
    if (why == NULL) {
        struct federated_claim claim = { statement.address, statement.groups, statement.issued_s,
                                         statement.authenticated_at_s };
        TRY(federation_take_assertion(req->api->auth, req->arena, &req->in.client, row, &claim, &person, &why));
    }
    return why == NULL ? provider_let_in(req, row, &visit, &person) : refuse_answer(req, &visit, why);
}
