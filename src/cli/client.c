/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/backoff.h"
#include "cli/exchange.h"
#include "cli/profile.h"

enum {
    USUAL_RETRIES = 5,
    USUAL_TIMEOUT_S = 60,
};

static const struct backoff pace = { .first_ms = 500, .most_ms = 30000 };

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

int
client_retries(const struct client *client)
{
    return (int)client->retries;
}

bool
client_pause(int ms)
{
    struct timespec left = { ms / 1000, (long)(ms % 1000) * 1000000 };
    return nanosleep(&left, NULL) == 0;
}

/* ---- Opening ---- */
static int64_t
number_of(const struct cli *cli, enum option option, int64_t usual, int64_t max)
{
    int64_t number;
    const char *given = cli->call.values[option];
    return given != NULL && str_to_int(str_from(given), 0, max, &number) ? number : usual;
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
    if (strncmp(p->server, "https://", 8) != 0 && !exchange_is_loopback(p->server)) {
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
static CURLcode
try_once(struct client *client, const struct request_out *request, enum authority by, struct answer *answer)
{
    struct exchange x = {
        .client = client, .curl = client->curl, .problem = client->problem, .request = request, .answer = answer
    };
    exchange_begin(&x, by);
    CURLcode result = curl_easy_perform(x.curl);
    exchange_end(&x);
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
        return was_never_sent(result) || (was_lost(result) && exchange_may_repeat(request) && answer->sunk_bytes == 0);
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
    else if (was_lost(result) && !exchange_may_repeat(request))
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
    struct request_out request;
    const char *why = exchange_token_request(client, cli->arena, &request);
    if (why != NULL) {
        cli_say(cli, "%s", why);
        return EXIT_USAGE;
    }
    int status = send_again(client, &request, ACCOUNT, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    why = exchange_take_token(client, &answer);
    if (why == NULL)
        return EXIT_SUCCESS;
    cli_say(cli, "the service account %s got no token (%ld): %s", cli->profile->client_id, answer.status, why);
    cli_note(
        cli,
        cli->profile->client_token_file != NULL
            ? "look which identity provider and subject it trusts: `reeve service-accounts org get`, trustedIdentities"
            : "its secret may have expired or been deleted: `reeve login` again with a new one");
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
    if (!profile_is_logged_in(p))
        return send_again(client, request, NOBODY, ret_answer);
    if (p->has_session)
        return profile_fetch_secret(cli) ? send_again(client, request, SESSION, ret_answer) : EXIT_USAGE;
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
