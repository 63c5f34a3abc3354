/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few paths that are not operations: OAuth, its metadata, invitations, signing in, downloads, measurements for people's own tools, and the OpenAPI
 * document. The guard of credentials slows down guessing.
 */
#include "api/catalog.h"
#include "api/document/openapi.h"
#include "api/download.h"
#include "api/invitation.h"
#include "api/sign_in/device.h"
#include "api/sign_in/sign_in.h"
#include "api/stage/stages.h"
#include "auth/person/session.h"

typedef void oauth_function(struct auth *, struct arena *, const struct credentials *, str, str, struct oauth_answer *);

static error
run_oauth(struct request *req, oauth_function *function)
{
    TRY(request_admit(req, OAUTH_FORM_MAX_BYTES));
    if (!req->may_block)
        return WOULD_BLOCK;
    struct credentials credentials = {
        .authorization = req->in.authorization,
        .method = req->in.method,
        .target = req->in.target,
        .client = req->in.client,
    };
    struct oauth_answer answer = { 0 };
    function(req->api->auth, req->arena, &credentials, req->in.content_type, req->in.body, &answer);
    TRY(answer.refused);
    req->out = (struct response){ .status = answer.status, .body = answer.body };
    if (answer.body.len > 0)
        req->out.content_type = STR("application/json");
    if (answer.www_authenticate.len > 0)
        response_header(&req->out, STR("WWW-Authenticate"), answer.www_authenticate);
    response_header(&req->out, STR("Pragma"), STR("no-cache"));
    return OK;
}

static error
token(struct request *req)
{
    return run_oauth(req, oauth_token);
}

static error
revoke(struct request *req)
{
    return run_oauth(req, oauth_revoke);
}

static error
accept_invitation(struct request *req)
{
    static const str any = { "invitation", sizeof("invitation") - 1 }; /* a token names nobody */
    TRY(auth_check_guard(req->api->auth, req->arena, &req->in.client, any));
    TRY(request_admit(req, INVITATION_MAX_BYTES));
    if (!req->may_block)
        return WOULD_BLOCK;
    error problem = invitation_accept(req);
    /* Wrong credentials beside the token are counted where they are looked at. */
    if (problem != OK && (problem->code == INVITATION_NOT_VALID || problem->code == NOT_AUTHENTICATED))
        return auth_count_failure(req->api->auth, req->arena, &req->in.client, any, problem);
    return problem;
}

/* ---- People in a browser ---- */
/* What a page of ours sends. Who it is from is not known yet; wrong signatures and tokens count as guesses. */
static error
from_our_page(struct request *req, bool is_guarded, bool has_visit, error (*answer)(struct request *req))
{
    static const str any = { "sign-in", sizeof("sign-in") - 1 };
    struct credentials credentials = request_credentials(req);
    TRY(session_check_site(req->api->auth, req->arena, &credentials, false));
    if (is_guarded)
        TRY(auth_check_guard(req->api->auth, req->arena, &req->in.client, any));
    if (has_visit)
        TRY(provider_has_visit(req));
    TRY(request_admit(req, has_visit ? SAML_FINISH_MAX_BYTES : SIGN_IN_MAX_BYTES));
    if (!req->may_block)
        return WOULD_BLOCK;
    error problem = answer(req);
    if (problem == OK && is_guarded)
        limit_guard_note_success(req->api->limiter, (struct guard_try){ &req->in.client, any });
    if (problem != OK && problem->code == SIGN_IN_REFUSED)
        return auth_count_failure(req->api->auth, req->arena, &req->in.client, any, problem);
    return problem;
}

/* ---- Documents ---- */
static error
metadata(struct request *req)
{
    req->out = (struct response){
        .status = 200,
        .body = oauth_metadata(req->arena, req->api->base_url, req->api->has_console),
        .content_type = STR("application/json"),
    };
    return OK;
}

static error
openapi(struct request *req)
{
    /* Anybody may ask for it, and it has 2 MB: all who do are sent the same bytes. */
    str made = req->api->openapi;
    if (made.len == 0 && !req->may_block) /* takes milliseconds to build */
        return WOULD_BLOCK;
    req->out = (struct response){
        .status = 200,
        .body = made.len > 0 ? made : openapi_document(req->arena, req->api->catalog, req->api->base_url),
        .content_type = STR("application/json"),
    };
    return OK;
}

static error
tool(struct request *req)
{
    return req->api->answer_tool == NULL ? request_not_found(req) : req->api->answer_tool(req);
}

/* What comes before an answer. */
enum before {
    NOTHING,
    THREAD,       /* it reads, and may wait for the database */
    PAGE,         /* a page of ours must have sent it */
    PAGE_GUARDED, /* and wrong tries count as guesses */
    PAGE_VISIT    /* and the browser was sent to a provider by us, or nothing of what it brings is taken */
};

static const struct {
    const char *name, *method, *path;
    error (*answer)(struct request *req);
    enum before before;
    bool has_more; /* the path is how it begins */
    bool is_form;  /* what is asked for may come in a POST as well */
} rows[] = {
    { "oauthToken", "POST", "/api/oauth/token", token },
    { "oauthRevoke", "POST", "/api/oauth/revoke", revoke },
    { "acceptInvitation", "POST", "/api/invitations/accept", accept_invitation },
    { "oauthMetadata", "GET", "/.well-known/oauth-authorization-server", metadata },
    { "openApiDocument", "GET", "/api/openapi.json", openapi },
    { "signInChallenge", "GET", "/api/sign-in/challenge", sign_in_challenge },
    { "signInWithPasskey", "POST", "/api/sign-in/passkey", sign_in_with_passkey, PAGE_GUARDED },
    { "showEnrolment", "POST", "/api/sign-in/enrolment", sign_in_enrolment, PAGE_GUARDED },
    { "enrolPasskey", "POST", "/api/sign-in/enrol", sign_in_enrol, PAGE_GUARDED },
    { "signInWithPassword", "POST", "/api/sign-in/password", sign_in_with_password, PAGE_GUARDED },
    { "enrolPassword", "POST", "/api/sign-in/enrol-password", sign_in_enrol_password, PAGE_GUARDED },
    { "confirmWithPassword", "POST", "/api/sign-in/confirm-password", sign_in_confirm_with_password, PAGE_GUARDED },
    { "confirmWithPasskey", "POST", "/api/sign-in/confirm", sign_in_confirm, PAGE_GUARDED },
    { "beginWithProvider", "POST", "/api/sign-in/provider", provider_begin, PAGE },
    { "confirmWithProvider", "POST", "/api/sign-in/provider/confirm", provider_confirm, PAGE },
    { "finishWithProvider", "POST", "/api/sign-in/provider/finish", provider_finish, PAGE_GUARDED },
    { "finishWithSamlProvider", "POST", "/api/sign-in/provider/finish-saml", provider_finish_saml, PAGE_VISIT },
    { "samlPages", "GET", SAML_PATH, saml_page, .has_more = true, .is_form = true },
    { "signOut", "POST", "/api/sign-out", sign_out, PAGE },
    { "listOwnSessions", "GET", "/api/sessions", sessions_list, THREAD },
    { "endOwnSession", "POST", "/api/sessions/end", sessions_end, PAGE },
    { "changeOwnPassword", "POST", "/api/password", password_change, PAGE },
    { "removeOwnPassword", "POST", "/api/password/remove", password_remove, PAGE },
    { "listOwnPasskeys", "GET", "/api/passkeys", passkeys_list, THREAD },
    { "beginOwnPasskey", "POST", "/api/passkeys/begin", passkeys_begin, PAGE },
    { "addOwnPasskey", "POST", "/api/passkeys/add", passkeys_add, PAGE_GUARDED },
    { "renameOwnPasskey", "POST", "/api/passkeys/rename", passkeys_rename, PAGE },
    { "removeOwnPasskey", "POST", "/api/passkeys/remove", passkeys_remove, PAGE },
    { "deviceAuthorization", "POST", DEVICE_PATH, device_ask },
    { "deviceToken", "POST", DEVICE_PATH "/token", device_token },
    { "endDeviceSession", "POST", DEVICE_PATH "/end", device_end },
    { "lookAtDevice", "POST", DEVICE_PATH "/look", device_look, PAGE },
    { "decideDevice", "POST", DEVICE_PATH "/decide", device_decide, PAGE },
    { "fetchDownload", "GET", DOWNLOADS_PATH, download_answer, .has_more = true },
    { "measurementsForTools", "GET", API_TOOLS_PATH, tool, .has_more = true, .is_form = true },
};

size_t
other_path_count(void)
{
    return LENGTH(rows);
}

const char *
other_path_name(size_t index)
{
    return rows[index].name;
}

static error
run_row(struct request *req, size_t row)
{
    enum before before = rows[row].before;
    if (before >= PAGE)
        return from_our_page(req, before > PAGE, before == PAGE_VISIT, rows[row].answer);
    return before == THREAD && !req->may_block ? WOULD_BLOCK : rows[row].answer(req);
}

static error
answer(struct request *req, size_t row)
{
    req->name = rows[row].name;
    req->counter = req->api->first_counter + catalog_count(req->api->catalog) + row;
    if (str_is(req->head ? STR("GET") : req->in.method, rows[row].method) ||
        (rows[row].is_form && str_is(req->in.method, "POST"))) {
        TRY(run_row(req, row));
        req->done = true;
        return OK;
    }
    bool reads = rows[row].method[0] == 'G';
    response_header(&req->out, STR("Allow"),
                    rows[row].is_form ? STR("GET, HEAD, POST")
                    : reads           ? STR("GET, HEAD")
                                      : STR("POST"));
    return fail(req->arena, METHOD_NOT_ALLOWED, V(req->in.method), V(req->path));
}

error
stage_other_path(struct request *req)
{
    req->head = str_is(req->in.method, "HEAD");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        bool is_it =
            rows[i].has_more ? str_starts_with(req->path, str_from(rows[i].path)) : str_is(req->path, rows[i].path);
        if (is_it)
            return answer(req, i);
    }
    return OK;
}
