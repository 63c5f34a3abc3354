/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/exchange.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/profile.h"

enum {
    MAX_ANSWER_BYTES = 128 * 1024 * 1024,
    MAX_TOKEN_BYTES = 16 * 1024,
    CONNECT_MS = 10000,
    KEEPALIVE_S = 5,
    SILENCE_S = 60, /* a stream says something every 15 seconds */
};

/* Whoever asks for days throws away what each answer took. */
static struct arena *
arena_of(const struct client *client, const struct request_out *request)
{
    return request->arena != NULL ? request->arena : client->cli->arena;
}

/* ---- What curl asks ---- */
static bool
take_header(str line, const char *name, str *ret_value)
{
    str key = str_cut(&line, ':');
    if (!str_eq_nocase(key, str_from(name)))
        return false;
    while (line.len > 0 && (line.data[line.len - 1] == '\r' || line.data[line.len - 1] == '\n'))
        line.len--;
    *ret_value = str_trim(line);
    return true;
}

static size_t
on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *x = context;
    struct arena *arena = arena_of(x->client, x->request);
    str line = { bytes, size * count }, value;
    const struct {
        const char *name;
        str *field;
    } wanted[] = {
        { "X-Request-Id", &x->answer->request_id },   { "ETag", &x->answer->etag },
        { "Location", &x->answer->location },         { "Operation-Location", &x->answer->operation_location },
        { "Content-Type", &x->answer->content_type },
    };
    int64_t seconds;
    if (str_starts_with(line, STR("HTTP/"))) { /* the last of several answers counts: a challenge comes before */
        *x->answer = (struct answer){ 0 };
        x->body.len = 0;
        return line.len;
    }
    for (size_t i = 0; i < LENGTH(wanted); i++) {
        if (take_header(line, wanted[i].name, &value))
            *wanted[i].field = str_dup(arena, value);
    }
    if (take_header(line, "Retry-After", &value) && str_to_int(value, 0, 24 * 3600, &seconds))
        x->answer->retry_after_s = (int)seconds;
    return line.len;
}

static size_t
on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *x = context;
    str piece = { bytes, size * count };
    long status = 0;
    curl_easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &status);
    bool good = status >= 200 && status < 300;
    if (good && x->request->piece != NULL)
        return x->request->piece(x->request->context, piece) ? piece.len : 0;
    if (good && x->request->sink != NULL) {
        x->answer->sunk_bytes += piece.len;
        return fwrite(piece.data, 1, piece.len, x->request->sink);
    }
    buf_add(&x->body, piece);
    return x->body.failed ? 0 : piece.len;
}

bool
exchange_is_loopback(const char *url)
{
    static const char *const hosts[] = { "http://127.", "http://[::1]", "http://localhost" };
    for (size_t i = 0; i < LENGTH(hosts); i++) {
        str rest = str_from(url);
        if (!str_starts_with(rest, str_from(hosts[i])))
            continue;
        rest = str_slice(rest, strlen(hosts[i]), rest.len);
        /* "127." goes on with digits and dots, and nothing but a port or a path may follow a host. */
        while (i == 0 && rest.len > 0 && ((rest.data[0] >= '0' && rest.data[0] <= '9') || rest.data[0] == '.'))
            rest = str_slice(rest, 1, rest.len);
        return rest.len == 0 || ((rest.data[0] == ':' || rest.data[0] == '/') && str_find(rest, '@') < 0);
    }
    return false;
}

/* ---- Sending ---- */
static void
add_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    *list = longer != NULL ? longer : *list;
}

static void
add_header(struct arena *arena, struct curl_slist **list, const char *name, const char *value)
{
    if (value != NULL)
        add_line(list, str_format(arena, "%s: %s", name, value).data);
}

static struct curl_slist *
header_list(struct client *client, const struct request_out *request)
{
    struct arena *arena = arena_of(client, request);
    struct curl_slist *list = NULL;
    add_line(&list, "Expect:"); /* no pause before a body */
    add_header(arena, &list, "Accept", request->accept);
    if (request->has_body)
        add_header(arena, &list, "Content-Type",
                   request->content_type != NULL ? request->content_type : "application/json");
    add_header(arena, &list, "If-Match", request->if_match);
    add_header(arena, &list, "Idempotency-Key", request->idempotency_key);
    add_header(arena, &list, "Last-Event-ID", request->last_event_id);
    for (const char *const *line = request->headers; line != NULL && *line != NULL; line++)
        add_line(&list, *line);
    return list;
}

bool
exchange_may_repeat(const struct request_out *request)
{
    return strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0 ||
           strcmp(request->method, "PUT") == 0 || request->idempotency_key != NULL || request->is_repeatable;
}

static void
prepare(struct exchange *x)
{
    struct client *client = x->client;
    CURL *c = x->curl;
    const struct profile *p = client->cli->profile;
    const struct request_out *request = x->request;
    bool goes_on = request->piece != NULL || request->sink != NULL;
    curl_easy_reset(c);
    curl_easy_setopt(c, CURLOPT_URL, x->url.data);
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, p->for_operators && exchange_is_loopback(p->server) ? "http" : "https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, goes_on ? 0L : (long)client->timeout_s * 1000);
    if (goes_on) { /* however long it takes, as long as something comes */
        curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, request->piece != NULL ? (long)SILENCE_S : (long)client->timeout_s);
    }
    /* The machine that answers may be lost, and its address go to another one, which knows nothing of this connection: only who
     * asks is told. */
    curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(c, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_S);
    curl_easy_setopt(c, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_S);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "reeve/" REEVE_VERSION);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, x->problem);
    curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, request->method);
    /* On a connection that was used before libcurl repeats by itself what got no answer. */
    curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, exchange_may_repeat(request) ? 0L : 1L);
    if (strcmp(request->method, "HEAD") == 0)
        curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
    if (p->ca_file != NULL)
        curl_easy_setopt(c, CURLOPT_CAINFO, p->ca_file);
    if (request->has_body) {
        curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        curl_easy_setopt(c, CURLOPT_POSTFIELDS, request->body.data);
    }
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, x);
}

static void
authorize(const struct exchange *x, enum authority by)
{
    CURL *c = x->curl;
    const struct profile *p = x->client->cli->profile;
    if (by == TOKEN || by == SESSION || by == OPERATOR) {
        curl_easy_setopt(c, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        curl_easy_setopt(c, CURLOPT_XOAUTH2_BEARER,
                         by == TOKEN     ? p->token
                         : by == SESSION ? p->session_token
                                         : p->operator_token);
    } else if (by == KEY || (by == ACCOUNT && p->client_token_file == NULL)) {
        curl_easy_setopt(c, CURLOPT_HTTPAUTH, by == KEY ? (long)CURLAUTH_DIGEST : (long)CURLAUTH_BASIC);
        curl_easy_setopt(c, CURLOPT_USERNAME, by == KEY ? p->public_key : p->client_id);
        curl_easy_setopt(c, CURLOPT_PASSWORD, by == KEY ? p->private_key : p->client_secret);
    }
}

void
exchange_begin(struct exchange *x, enum authority by)
{
    struct arena *arena = arena_of(x->client, x->request);
    str base = client_base(arena, x->client->cli);
    x->url = str_format(arena, "%.*s%.*s", STR_ARG(base), STR_ARG(x->request->target));
    x->body = buf_in(arena, MAX_ANSWER_BYTES);
    x->headers = header_list(x->client, x->request);
    x->problem[0] = '\0';
    *x->answer = (struct answer){ 0 };
    prepare(x);
    authorize(x, by);
    curl_easy_setopt(x->curl, CURLOPT_HTTPHEADER, x->headers);
}

void
exchange_end(struct exchange *x)
{
    struct answer *answer = x->answer;
    double seconds = 0;
    curl_easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(x->curl, CURLINFO_TOTAL_TIME, &seconds);
    curl_easy_setopt(x->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(x->headers);
    x->headers = NULL;
    answer->body = x->body.len > 0 ? buf_str(&x->body) : STR_EMPTY;
    if (x->client->cli->call.values[OPTION_VERBOSE] != NULL)
        fprintf(stderr, "> %s %s\n< %ld %.*s (%.0f ms)\n", x->request->method, x->url.data, answer->status,
                STR_ARG(answer->request_id), seconds * 1000);
}

/* ---- Credentials ---- */
enum authority
exchange_authority(const struct client *client)
{
    const struct profile *p = client->cli->profile;
    if (p->for_operators)
        return OPERATOR;
    if (p->has_session)
        return SESSION;
    if (p->client_id == NULL)
        return p->public_key == NULL ? NOBODY : KEY;
    return p->token != NULL ? TOKEN : ACCOUNT;
}

/* A token ends with its line. */
static bool
read_token(struct arena *arena, const char *path, str *ret_token)
{
    char *token = arena_alloc(arena, MAX_TOKEN_BYTES);
    FILE *file = token == NULL ? NULL : fopen(path, "re");
    bool is_read = file != NULL && fgets(token, MAX_TOKEN_BYTES, file) != NULL;
    if (file != NULL)
        fclose(file);
    str rest = is_read ? str_from(token) : STR_EMPTY;
    *ret_token = str_trim(str_cut(&rest, '\n'));
    return is_read;
}

const char *
exchange_token_request(struct client *client, struct arena *arena, struct request_out *ret_request)
{
    const struct profile *p = client->cli->profile;
    str token;
    *ret_request = (struct request_out){
        .method = "POST",
        .target = STR("/api/oauth/token"),
        .body = STR("grant_type=client_credentials"),
        .has_body = true,
        .accept = "application/json",
        .content_type = "application/x-www-form-urlencoded",
        .is_repeatable = true, /* one token more */
    };
    if (p->client_token_file == NULL)
        return NULL;
    /* It is read each time: whoever puts it there replaces it before it expires. */
    errno = ENODATA;
    if (!read_token(arena, p->client_token_file, &token))
        return str_format(arena, "%s, which REEVE_CLIENT_TOKEN_FILE names, cannot be read: %s", p->client_token_file,
                          strerror(errno))
            .data;
    ret_request->body = str_format(
        arena, "grant_type=client_credentials&client_assertion_type=%.*s&client_id=%.*s&client_assertion=%.*s",
        STR_ARG(str_percent_encode(arena, STR("urn:ietf:params:oauth:client-assertion-type:jwt-bearer"))),
        STR_ARG(str_percent_encode(arena, str_from(p->client_id))), STR_ARG(str_percent_encode(arena, token)));
    return NULL;
}

const char *
exchange_take_token(struct client *client, const struct answer *answer)
{
    struct cli *cli = client->cli;
    json_t *document = json_in(cli->arena, json_loadb(answer->body.data, answer->body.len, 0, NULL));
    const char *token = json_string_value(json_object_get(document, "access_token"));
    if (answer->status == 200 && token != NULL) {
        profile_keep_token(cli, token, json_integer_value(json_object_get(document, "expires_in")));
        return NULL;
    }
    const char *said = json_string_value(json_object_get(document, "error_description"));
    if (said == NULL)
        said = json_string_value(json_object_get(document, "detail"));
    return said != NULL ? said : "the server did not say why";
}
