/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/person/device.h"

#include <ctype.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/profile.h"

extern char **environ;

#define PATH       "/api/sign-in/device"
#define GRANT_TYPE "urn:ietf:params:oauth:grant-type:device_code"
enum { HOST_MAX = 100, USUAL_INTERVAL_S = 5, SLOWER_S = 5, LONGEST_S = 3600, SECOND_MS = 1000 };

static int
post_form(struct client *client, const char *target, str form, struct answer *ret_answer)
{
    struct request_out request = {
        .method = "POST",
        .target = str_from(target),
        .body = form,
        .has_body = true,
        .accept = "application/json",
        .content_type = "application/x-www-form-urlencoded",
        .is_repeatable = true, /* asking once more does no harm */
    };
    return client_send(client, &request, ret_answer);
}

static json_t *
read_answer(struct cli *cli, const struct answer *answer)
{
    return json_in(cli->arena, json_loadb(answer->body.data, answer->body.len, 0, NULL));
}

int
device_is_offered(struct cli *cli, bool *ret_offered)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    struct request_out request = { .method = "GET",
                                   .target = STR("/.well-known/oauth-authorization-server"),
                                   .accept = "application/json" };
    struct answer answer;
    int status = client == NULL ? EXIT_USAGE : client_send(client, &request, &answer);
    if (status != EXIT_SUCCESS)
        return status;
    *ret_offered = answer.status == 200 &&
                   json_is_string(json_object_get(read_answer(cli, &answer), "device_authorization_endpoint"));
    return EXIT_SUCCESS;
}

/* What people call this machine, in letters that need no escaping. */
static str
host_name(struct cli *cli)
{
    char name[HOST_MAX + 1] = { 0 };
    if (gethostname(name, HOST_MAX) != 0 || name[0] == '\0')
        return STR("unnamed");
    for (char *c = name; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-' && *c != '_')
            *c = '-';
    }
    return str_dup(cli->arena, str_from(name));
}

/* Where there is a display, the page opens by itself; whether that works is not looked at, because the address is on the screen as well. */
static void
open_page(const struct cli *cli, const char *address)
{
    const char *const arguments[] = { "xdg-open", address, NULL };
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (!cli->environment.has_display || !cli->terminal.in || strncmp(address, "https://", 8) != 0)
        return;
    posix_spawn_file_actions_init(&actions);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    if (posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, environ) == 0)
        cli_note(cli, "a browser is being opened on this machine");
    posix_spawn_file_actions_destroy(&actions);
}

struct waiting {
    const char *code; /* of this program */
    int64_t left_s, interval_s;
};

static int64_t
number_of(const json_t *document, const char *name, int64_t usual)
{
    int64_t number = json_integer_value(json_object_get(document, name));
    return number > 0 && number <= LONGEST_S ? number : usual;
}

static str
text_of(struct cli *cli, const json_t *document, const char *name)
{
    return text_harmless(cli->arena, json_text_at(document, name));
}

static int
begin(struct cli *cli, struct client *client, struct waiting *ret_waiting)
{
    struct answer answer;
    int status =
        post_form(client, PATH, str_format(cli->arena, "client_id=reeve&host=%s", host_name(cli).data), &answer);
    if (status != EXIT_SUCCESS)
        return status;
    const json_t *document = read_answer(cli, &answer);
    str page = text_of(cli, document, "verification_uri"), code = text_of(cli, document, "user_code");
    ret_waiting->code = json_string_value(json_object_get(document, "device_code"));
    if (answer.status != 200 || ret_waiting->code == NULL || page.len == 0 || code.len == 0) {
        cli_say(cli, "the server does not let programs in by a browser: %.*s",
                STR_ARG(text_of(cli, document, "error_description")));
        return EXIT_REFUSED;
    }
    ret_waiting->left_s = number_of(document, "expires_in", USUAL_INTERVAL_S);
    ret_waiting->interval_s = number_of(document, "interval", USUAL_INTERVAL_S);
    fprintf(
        stderr,
        "\nOpen this page in a browser, on any device:\n\n    %s%.*s%s\n\nand type this code there:\n\n    %s%.*s%s\n\n",
        style_on(cli->terminal.color_err, STYLE_CYAN), STR_ARG(page), style_off(cli->terminal.color_err, STYLE_CYAN),
        style_on(cli->terminal.color_err, STYLE_BOLD), STR_ARG(code), style_off(cli->terminal.color_err, STYLE_BOLD));
    str whole = text_of(cli, document, "verification_uri_complete");
    open_page(cli, whole.len > 0 ? whole.data : page.data);
    return EXIT_SUCCESS;
}

/* False: a signal ended it. */
static bool
wait_visibly(struct cli *cli, struct waiting *waiting)
{
    for (int64_t second = 0; second < waiting->interval_s; second++, waiting->left_s--) {
        if (cli->terminal.err)
            fprintf(stderr, "\rwaiting for you in the browser; the code is good for %d:%02d ",
                    (int)(waiting->left_s / 60), (int)(waiting->left_s % 60));
        fflush(stderr);
        if (!client_pause(SECOND_MS))
            return false;
    }
    return true;
}

static void
end_line(const struct cli *cli)
{
    if (cli->terminal.err)
        fprintf(stderr, "\n");
}

static int
say_refusal(struct cli *cli, const char *code, str said)
{
    end_line(cli);
    if (strcmp(code, "access_denied") == 0)
        cli_say(cli, "it was refused in the browser");
    else if (strcmp(code, "expired_token") == 0)
        cli_say(cli, "nobody typed the code in time: `reeve login` again");
    else
        cli_say(cli, "logging in failed: %.*s", STR_ARG(said));
    return EXIT_REFUSED;
}

static int
wait_for_person(struct cli *cli, struct client *client, struct waiting *waiting)
{
    str form = str_format(cli->arena, "grant_type=" GRANT_TYPE "&client_id=reeve&device_code=%s", waiting->code);
    for (;;) {
        struct answer answer;
        if (!wait_visibly(cli, waiting))
            return EXIT_INTERRUPTED;
        int status = post_form(client, PATH "/token", form, &answer);
        if (status != EXIT_SUCCESS)
            return status;
        const json_t *document = read_answer(cli, &answer);
        const char *token = json_string_value(json_object_get(document, "access_token"));
        if (answer.status == 200 && token != NULL) {
            end_line(cli);
            cli->profile->has_session = true;
            cli->profile->session_token = token;
            return EXIT_SUCCESS;
        }
        const char *code = json_string_value(json_object_get(document, "error"));
        bool is_slower = code != NULL && strcmp(code, "slow_down") == 0;
        if (is_slower)
            waiting->interval_s += SLOWER_S;
        if (!is_slower && (code == NULL || strcmp(code, "authorization_pending") != 0)) {
            str said = text_of(cli, document, code != NULL ? "error_description" : "detail");
            return say_refusal(cli, code != NULL ? code : "", said.len > 0 ? said : STR("the server did not say why"));
        }
    }
}

int
device_log_in(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    struct waiting waiting = { 0 };
    int status = client == NULL ? EXIT_USAGE : begin(cli, client, &waiting);
    return status == EXIT_SUCCESS ? wait_for_person(cli, client, &waiting) : status;
}

bool
device_log_out(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = client_new(cli);
    struct answer answer;
    struct request_out request = {
        .method = "POST", .target = STR(PATH "/end"), .accept = "application/json", .is_repeatable = true
    };
    /* 401: it has ended already. */
    return client != NULL && client_send(client, &request, &answer) == EXIT_SUCCESS &&
           (answer.status == 204 || answer.status == 401);
}
