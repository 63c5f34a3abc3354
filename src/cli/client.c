/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/backoff.h"
#include "base/json.h"
#include "cli/profile.h"

enum {
    MAX_ANSWER_BYTES = 128 * 1024 * 1024,
    USUAL_RETRIES = 5,
    USUAL_TIMEOUT_S = 60,
    CONNECT_MS = 10000,
    KEEPALIVE_S = 5,
    SILENCE_S = 60, /* a stream says something every 15 seconds */
};

static const struct backoff pace = { .first_ms = 500, .most_ms = 30000 };

struct client {
    struct cli *cli;
    CURL *curl;
    int64_t retries, timeout_s;
    char problem[CURL_ERROR_SIZE];
};

struct exchange {
    struct client *client;
    const struct request_out *request;
    struct answer *answer;
    struct buf body;
};

/* ---- Small things ---- */
str
client_base(struct arena *arena, const struct cli *cli)
{
    str server = str_from(cli->profile->server);
    while (server.len > 0 && server.data[server.len - 1] == '/')
        server.len--;
    return str_dup(arena, server);
}

str
client_new_key(struct arena *arena)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return STR_EMPTY;
    return str_hex(arena, bytes, sizeof(bytes));
}

int
client_delay_ms(int attempt, int retry_after_s)
{
    int64_t delay = backoff_ms(pace, attempt - 1);
    return (int)(retry_after_s > 0 ? (int64_t)retry_after_s * 1000 + delay / 2 : delay);
}

bool
client_pause(int ms)
{
    struct timespec left = { ms / 1000, (long)(ms % 1000) * 1000000 };
    return nanosleep(&left, NULL) == 0;
}

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
    curl_easy_getinfo(x->client->curl, CURLINFO_RESPONSE_CODE, &status);
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

/* ---- Opening ---- */
static int64_t
number_of(const struct cli *cli, enum option option, int64_t usual, int64_t max)
{
    int64_t number;
    const char *given = cli->call.values[option];
    return given != NULL && str_to_int(str_from(given), 0, max, &number) ? number : usual;
}

/* "http://127.0.0.1:9443": what never leaves the machine may be in clear text. */
static bool
is_loopback(const char *url)
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

static bool
can_call_operator(struct cli *cli)
{
    const struct profile *p = cli->profile;
    if (p->server == NULL) {
        cli_say(cli, "the operator's address is missing: `reeve fleet login --url http://127.0.0.1:9443` stores it; "
                     "REEVE_OPERATOR_URL overrides it");
        return false;
    }
    if (strncmp(p->server, "https://", 8) != 0 && !is_loopback(p->server)) {
        cli_say(cli,
                "the operator's address must be https://… or on this machine, and `%s` is neither: tokens are not "
                "sent in clear text. Set operator_certificate in reeve.conf to use https",
                p->server);
        return false;
    }
    if (p->operator_token == NULL && !p->in_secret_service) {
        cli_say(cli,
                "you are not logged in as an operator: `reeve fleet login`, with a token that `reeved operator add` "
                "on a node printed");
        return false;
    }
    return true;
}

static bool
can_call(struct cli *cli)
{
    const struct profile *p = cli->profile;
    if (p->for_operators)
        return can_call_operator(cli);
    if (p->server == NULL) {
        cli_say(cli, "which server? `reeve login --server https://HOST:PORT` stores it; --server and REEVE_SERVER "
                     "override it");
        return false;
    }
    if (strncmp(p->server, "https://", 8) != 0) {
        cli_say(cli, "the server must be https://…, and `%s` is not: credentials are not sent in clear text",
                p->server);
        return false;
    }
    return true;
}

struct client *
client_new(struct cli *cli)
{
    if (!can_call(cli))
        return NULL;
    struct client *client = calloc(1, sizeof(*client));
    /* Not CURL_GLOBAL_DEFAULT: nothing of Windows, and SSL is set up when it is needed. */
    if (client == NULL || curl_global_init(CURL_GLOBAL_SSL) != CURLE_OK || (client->curl = curl_easy_init()) == NULL) {
        cli_say(cli, "out of memory");
        client_free(client);
        return NULL;
    }
    client->cli = cli;
    client->retries = number_of(cli, OPTION_RETRIES, USUAL_RETRIES, 100);
    client->timeout_s = number_of(cli, OPTION_TIMEOUT, USUAL_TIMEOUT_S, 24 * 3600);
    return client;
}

void
client_free(struct client *client)
{
    if (client == NULL)
        return;
    curl_easy_cleanup(client->curl);
    curl_global_cleanup();
    free(client);
}

void
client_cleanup(struct client **client)
{
    client_free(*client);
}

/* ---- One try ---- */
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

/* Whether doing it twice is the same as doing it once. */
static bool
may_repeat(const struct request_out *request)
{
    return strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0 ||
           strcmp(request->method, "PUT") == 0 || request->idempotency_key != NULL || request->is_repeatable;
}

static void
prepare(struct client *client, struct exchange *x, const char *url)
{
    CURL *c = client->curl;
    const struct profile *p = client->cli->profile;
    const struct request_out *request = x->request;
    bool goes_on = request->piece != NULL || request->sink != NULL;
    curl_easy_reset(c);
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, p->for_operators && is_loopback(p->server) ? "http" : "https");
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
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, client->problem);
    curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, request->method);
    /* On a connection that was used before libcurl repeats by itself what got no answer. */
    curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, may_repeat(request) ? 0L : 1L);
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

enum authority { NOBODY, ACCOUNT, KEY, TOKEN, OPERATOR };

static void
authorize(struct client *client, enum authority by)
{
    CURL *c = client->curl;
    const struct profile *p = client->cli->profile;
    if (by == TOKEN || by == OPERATOR) {
        curl_easy_setopt(c, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        curl_easy_setopt(c, CURLOPT_XOAUTH2_BEARER, by == TOKEN ? p->token : p->operator_token);
    } else if (by != NOBODY) {
        curl_easy_setopt(c, CURLOPT_HTTPAUTH, by == KEY ? (long)CURLAUTH_DIGEST : (long)CURLAUTH_BASIC);
        curl_easy_setopt(c, CURLOPT_USERNAME, by == KEY ? p->public_key : p->client_id);
        curl_easy_setopt(c, CURLOPT_PASSWORD, by == KEY ? p->private_key : p->client_secret);
    }
}

static CURLcode
try_once(struct client *client, const struct request_out *request, enum authority by, struct answer *answer)
{
    struct cli *cli = client->cli;
    struct arena *arena = arena_of(client, request);
    struct exchange x = { client, request, answer, buf_in(arena, MAX_ANSWER_BYTES) };
    str base = client_base(arena, cli), url = str_format(arena, "%.*s%.*s", STR_ARG(base), STR_ARG(request->target));
    struct curl_slist *headers = header_list(client, request);
    double seconds = 0;
    client->problem[0] = '\0';
    *answer = (struct answer){ 0 };
    prepare(client, &x, url.data);
    authorize(client, by);
    curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, headers);
    CURLcode result = curl_easy_perform(client->curl);
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(client->curl, CURLINFO_TOTAL_TIME, &seconds);
    curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    answer->body = x.body.len > 0 ? buf_str(&x.body) : STR_EMPTY;
    if (cli->call.values[OPTION_VERBOSE] != NULL)
        fprintf(stderr, "> %s %s\n< %ld %.*s (%.0f ms)\n", request->method, url.data, answer->status,
                STR_ARG(answer->request_id), seconds * 1000);
    return result;
}

/* ---- Again ---- */
static bool
was_never_sent(CURLcode result)
{
    /* Nothing of a request is sent before TLS is agreed on. */
    return result == CURLE_COULDNT_CONNECT || result == CURLE_COULDNT_RESOLVE_HOST || result == CURLE_SSL_CONNECT_ERROR;
}

static bool
was_lost(CURLcode result)
{
    return result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR || result == CURLE_GOT_NOTHING ||
           result == CURLE_OPERATION_TIMEDOUT || result == CURLE_PARTIAL_FILE;
}

static bool
should_retry(const struct request_out *request, CURLcode result, const struct answer *answer)
{
    if (result != CURLE_OK)
        return was_never_sent(result) || (was_lost(result) && may_repeat(request) && answer->sunk_bytes == 0);
    return answer->status == 429 || answer->status == 503 || (answer->status == 409 && answer->retry_after_s > 0);
}

static void
say_no_answer(struct client *client, const struct request_out *request, CURLcode result)
{
    struct cli *cli = client->cli;
    const char *why = client->problem[0] != '\0' ? client->problem : curl_easy_strerror(result);
    cli_say(cli, "no answer from %s: %s", cli->profile->server, why);
    if (result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE)
        cli_note(cli,
                 "if the server's certificate is from your own authority, give that with --ca-file, or store it with "
                 "`%s`",
                 cli->profile->for_operators ? "reeve fleet login --ca-file FILE" : "reeve profiles set ca-file FILE");
    else if (was_lost(result) && !may_repeat(request))
        cli_note(cli, "it may or may not have been done: check before you repeat it");
}

static int
send_again(struct client *client, const struct request_out *request, enum authority by, struct answer *ret_answer)
{
    struct cli *cli = client->cli;
    for (int64_t attempt = 1;; attempt++) {
        CURLcode result = try_once(client, request, by, ret_answer);
        /* A stream that was open ended: whoever takes the pieces has enough, or knows where to go on. */
        if (request->piece != NULL && ret_answer->status == 200)
            return EXIT_SUCCESS;
        bool again = should_retry(request, result, ret_answer) && attempt <= client->retries && !request->is_tried_once;
        if (!again && result == CURLE_OK)
            return EXIT_SUCCESS;
        if (!again) {
            say_no_answer(client, request, result);
            return EXIT_NO_ANSWER;
        }
        int ms = client_delay_ms((int)attempt, ret_answer->retry_after_s);
        if (result == CURLE_OK)
            cli_note(cli, "%ld: trying again in %.1f s (%d of %d)", ret_answer->status, ms / 1000.0, (int)attempt,
                     (int)client->retries);
        else
            cli_note(cli, "%s: trying again in %.1f s (%d of %d)", curl_easy_strerror(result), ms / 1000.0,
                     (int)attempt, (int)client->retries);
        if (!client_pause(ms))
            return EXIT_INTERRUPTED;
    }
}

/* ---- Credentials ---- */
static int
fetch_token(struct client *client)
{
    struct cli *cli = client->cli;
    struct answer answer;
    struct request_out request = {
        .method = "POST",
        .target = STR("/api/oauth/token"),
        .body = STR("grant_type=client_credentials"),
        .has_body = true,
        .accept = "application/json",
        .content_type = "application/x-www-form-urlencoded",
        .is_repeatable = true, /* one token more */
    };
    int status = send_again(client, &request, ACCOUNT, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    json_t *document = json_in(cli->arena, json_loadb(answer.body.data, answer.body.len, 0, NULL));
    const char *token = json_string_value(json_object_get(document, "access_token"));
    if (answer.status == 200 && token != NULL) {
        profile_keep_token(cli, token, json_integer_value(json_object_get(document, "expires_in")));
        return EXIT_SUCCESS;
    }
    const char *said = json_string_value(json_object_get(document, "error_description"));
    if (said == NULL)
        said = json_string_value(json_object_get(document, "detail"));
    cli_say(cli, "the service account %s got no token (%ld): %s", cli->profile->client_id, answer.status,
            said != NULL ? said : "the server did not say why");
    cli_note(cli, "its secret may have expired or been deleted: `reeve login` again with a new one");
    return EXIT_REFUSED;
}

int
client_send(struct client *client, const struct request_out *request, struct answer *ret_answer)
{
    struct cli *cli = client->cli;
    struct profile *p = cli->profile;
    bool kept = p->token != NULL;
    if (p->for_operators)
        return profile_fetch_secret(cli) ? send_again(client, request, OPERATOR, ret_answer) : EXIT_USAGE;
    if (p->client_id == NULL && p->public_key == NULL)
        return send_again(client, request, NOBODY, ret_answer);
    if ((p->client_id == NULL || p->token == NULL) && !profile_fetch_secret(cli))
        return EXIT_USAGE;
    if (p->client_id == NULL)
        return send_again(client, request, KEY, ret_answer);
    int status = p->token != NULL ? EXIT_SUCCESS : fetch_token(client);
    if (status == EXIT_SUCCESS)
        status = send_again(client, request, TOKEN, ret_answer);
    /* A token that was kept may have been revoked since. */
    if (status != EXIT_SUCCESS || ret_answer->status != 401 || !kept)
        return status;
    profile_keep_token(cli, NULL, 0);
    if (!profile_fetch_secret(cli))
        return EXIT_USAGE;
    status = fetch_token(client);
    return status == EXIT_SUCCESS ? send_again(client, request, TOKEN, ret_answer) : status;
}
