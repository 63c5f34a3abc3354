/* SPDX-License-Identifier: Apache-2.0 */
#include "family/monitor/tools.h"

#include "api/stage/stages.h"
#include "auth/authorization.h"
#include "base/clock.h"
#include "base/crypto/tool_password.h"
#include "base/json.h"
#include "job/alert/integration.h"
#include "store/resource.h"

enum {
    FORM_BYTES = 32 * 1024,
    CREDENTIALS_BYTES = 1024,

    RIGHTS_LAST_US =
        2 * 1000 * 1000, /* a body that took longer is looked at with the rights that its sender has then */
    ERROR_BYTES = 2000,
    LONG_MS = 2000,
};

/* ---- Who asks ---- */
struct sent_credentials {
    str username, password;
};

static bool
read_credentials(struct request *req, struct sent_credentials *ret)
{
    struct authorization header;
    str plain;
    if (!authorization_parse(req->in.authorization, &header) || !str_eq_nocase(header.scheme, STR("Basic")) ||
        header.rest.len > CREDENTIALS_BYTES || !str_from_base64(req->arena, header.rest, &plain))
        return false;
    ptrdiff_t colon = str_find(plain, ':');
    if (colon < 0)
        return false;
    ret->username = str_slice(plain, 0, (size_t)colon);
    ret->password = str_slice(plain, (size_t)colon + 1, plain.len);
    return true;
}

/* Unknown projects, integrations that are off or gone, wrong names and wrong passwords: the same steps, the same answer. */
static error
check_password(struct request *req, id project, const struct sent_credentials *sent, bool *ret_is_right)
{
    str document;
    TRY(store_resource_read(req->api->store, req->arena, project, STR(INTEGRATION_KIND), STR(INTEGRATION_FOR_TOOLS),
                            &document));
    const json_t *integration = document.len == 0 ? NULL : json_parse_own(req->arena, document);
    struct key key = auth_key_for(req->api->auth, TOOL_KEY_PURPOSE);
    str hash = json_text_at(json_object_get(integration, INTEGRATION_HIDDEN_FIELD), INTEGRATION_TOOL_HASH);
    *ret_is_right = tool_password_is(req->arena, &key, project, sent->username, sent->password, hash) &&
                    json_is_true(json_object_get(integration, "enabled"));
    crypto_wipe(&key, sizeof(key));
    return OK;
}

static error
become_caller(struct request *req, const struct sent_credentials *sent)
{
    struct principal *caller = ARENA_ARRAY(req->arena, struct principal, 1);
    if (caller == NULL)
        return fail(req->arena, OVERLOADED);
    *caller = (struct principal){ .id = req->project,
                                  .kind = PRINCIPAL_SERVICE_ACCOUNT,
                                  .organization = req->facts->organization,
                                  .name = str_format(req->arena, "prometheus %.*s", STR_ARG(sent->username)) };
    req->organization = req->facts->organization;
    req->caller = caller;
    return OK;
}

/* Asked every time, in the database: an integration that was switched off or deleted ends with that. */
static error
let_in(struct request *req, str named)
{
    struct sent_credentials sent;
    struct guard_try attempt = { &req->in.client, str_format(req->arena, "prometheus %.*s", STR_ARG(named)) };
    bool is_right = false;
    id project;
    if (req->in.authorization.len == 0)
        return fail(req->arena, NOT_AUTHENTICATED);
    error wrong = fail(req->arena, INVALID_CREDENTIALS, V("no such name and password for this project"));
    if (named.len != ID_DIGITS)
        attempt.credential = STR("prometheus");
    TRY(auth_check_guard(req->api->auth, req->arena, &req->in.client, attempt.credential));
    if (!req->may_block)
        return WOULD_BLOCK;
    if (id_parse(named, &project) && read_credentials(req, &sent))
        TRY(check_password(req, project, &sent, &is_right));
    if (is_right)
        TRY(auth_project_facts(req->api->auth, req->arena, project, true, false, &req->facts));
    if (!is_right || !req->facts->exists)
        return auth_count_failure(req->api->auth, req->arena, &req->in.client, attempt.credential, wrong);
    limit_guard_note_success(req->api->limiter, attempt);
    req->project = project;
    return become_caller(req, &sent);
}

/* ---- What is answered ---- */
void
tools_reply(struct request *req, str body, str content_type)
{
    req->out.status = 200;
    req->out.body = body;
    req->out.content_type = content_type;
}

void
tools_refuse(struct request *req, unsigned status, const char *type, str why)
{
    struct buf out = buf_in(req->arena, 8 * ERROR_BYTES);
    size_t length = why.len < ERROR_BYTES ? why.len : ERROR_BYTES;
    while (length < why.len && length > 0 && ((unsigned char)why.data[length] & 0xC0) == 0x80)
        length--; /* not in the middle of a character */
    buf_format(&out, "{\"status\":\"error\",\"errorType\":\"%s\",\"error\":", type);
    buf_add_json(&out, str_slice(why, 0, length));
    buf_add(&out, STR("}"));
    tools_reply(req, buf_str(&out), STR("application/json"));
    req->out.status = status;
}

/* ---- The stores ---- */
static bool
take_bytes(void *context, str bytes)
{
    struct buf *answer = context;
    buf_add(answer, bytes);
    return !answer->failed;
}

struct tools_reply
tools_ask(struct request *req, const struct tool_question *question)
{
    struct tools_reply reply = { 0 };
    int64_t began_ms = clock_steady_ms();
    for (size_t store = 0; store < monitor_stores_count(req->api->monitor); store++) {
        struct buf answer = buf_in(req->arena, TOOLS_ANSWER_BYTES);
        struct monitor_question ask = { question->path, question->form, take_bytes, &answer };
        reply.status = monitor_ask_for_tenant(req->api->monitor, req->arena, store, &ask);
        reply.is_too_long = answer.failed;
        reply.body = buf_str(&answer);
        /* What was too much for one store is not put to the next. */
        if (reply.is_too_long || (reply.status > 0 && reply.status < 500) || clock_steady_ms() - began_ms > LONG_MS)
            break;
    }
    return reply;
}

void
tools_refuse_reply(struct request *req, const struct tools_reply *reply)
{
    json_t *said = NULL;
    if (reply->is_too_long) {
        tools_refuse(req, 422, "execution",
                     STR("The answer has more than 4 MiB: ask for fewer series, or a longer step."));
        return;
    }
    if (reply->status == 0 || reply->status >= 500) {
        response_header(&req->out, STR("Retry-After"), STR("10"));
        tools_refuse(req, 503, "unavailable", STR("No store of measurements answers this now."));
        return;
    }
    bool is_known = json_parse_within(req->arena, reply->body, TOOLS_ANSWER_BYTES, &said) == OK;
    str why = is_known ? json_text_at(said, "error") : STR_EMPTY;
    bool is_late =
        reply->status == 422 && strstr(why.len > 0 ? str_dup(req->arena, why).data : "", "timeout exceeded") != NULL;
    if (is_late)
        tools_refuse(req, 503, "timeout",
                     str_format(req->arena, "This takes longer than %d seconds: ask for less.", TOOL_TIME_LIMIT_S));
    else
        tools_refuse(req, reply->status == 400 ? 400 : 422, reply->status == 400 ? "bad_data" : "execution",
                     why.len > 0 ? why : STR("The store of measurements does not answer this."));
}

/* ---- Questions ---- */
static error
read_parameters(struct request *req, struct tool_parameters *ret)
{
    ptrdiff_t mark = str_find(req->in.target, '?');
    str query = mark < 0 ? STR_EMPTY : str_slice(req->in.target, (size_t)mark + 1, req->in.target.len);
    bool is_form = str_starts_with(req->in.content_type, STR("application/x-www-form-urlencoded"));
    *ret = (struct tool_parameters){ 0 };
    if (req->in.body.len > 0 && !is_form)
        return fail(req->arena, INVALID_REQUEST, V("a body must be a form"));
    if (!tool_parameters_add(req->arena, query, ret) || !tool_parameters_add(req->arena, req->in.body, ret))
        return fail(req->arena, INVALID_REQUEST, V("the parameters cannot be read"));
    return OK;
}

static error
answer_question(struct request *req, str path, const struct tool_parameters *given)
{
    struct tool_question question;
    str why;
    switch (tool_question_make(req->arena, path, given, req->project, clock_now_ms(), &question, &why)) {
    case TOOL_NO_SUCH_PATH: return request_not_found(req);
    case TOOL_REFUSED: tools_refuse(req, 400, "bad_data", why); return OK;
    case TOOL_FINE: break;
    }
    struct tools_reply reply = tools_ask(req, &question);
    if (reply.status == 200 && !reply.is_too_long)
        tools_reply(req, reply.body, STR("application/json"));
    else
        tools_refuse_reply(req, &reply);
    return OK;
}

static error
dispatch(struct request *req, str path)
{
    struct tool_parameters given;
    TRY(read_parameters(req, &given));
    if (str_is(path, "/targets"))
        return tools_targets(req);
    if (str_is(path, "/federate"))
        return tools_federate(req, &given);
    return answer_question(req, path, &given);
}

error
tools_answer(struct request *req)
{
    str path = str_slice(req->path, strlen(API_TOOLS_PATH), req->path.len), named = path;
    ptrdiff_t slash = str_find(path, '/');
    named = str_slice(path, 0, slash < 0 ? path.len : (size_t)slash);
    path = str_slice(path, named.len, path.len);
    req->challenge = "Basic realm=\"measurements\", charset=\"UTF-8\"";
    if (req->caller == NULL)
        TRY(let_in(req, named));
    req->asks_stores = true;
    TRY(request_admit(req, FORM_BYTES));
    if (!req->may_block)
        return WOULD_BLOCK;
    if (req->asked_us != 0 && clock_steady_us() - req->asked_us > RIGHTS_LAST_US)
        TRY(let_in(req, named));
    TRY(request_spend(req, S42)); /* as what else reads measurements */
    if (monitor_stores_count(req->api->monitor) == 0)
        return fail(req->arena, MEASUREMENTS_NOT_COLLECTED);
    TRY(dispatch(req, path));
    return arena_is_exhausted(req->arena) ? fail(req->arena, OVERLOADED) : OK;
}
