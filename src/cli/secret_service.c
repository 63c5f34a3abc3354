/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/secret_service.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SECRET_BYTES = 4096, NOT_THERE = 127 };

/* Runs secret-tool with `input` and takes what it prints; its exit status, or -1. */
static int
run_tool(struct cli *cli, const char *const *arguments, str input, str *ret_output)
{
    int ends[2];
    char piece[MAX_SECRET_BYTES];
    struct buf output = buf_in(cli->arena, MAX_SECRET_BYTES);
    /* One socket for both ways: what is asked is short, and answered when it was read. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        execvp(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(NOT_THERE);
    }
    close(ends[1]);
    bool sent = child > 0 && send(ends[0], input.data, input.len, MSG_NOSIGNAL) == (ssize_t)input.len;
    shutdown(ends[0], SHUT_WR);
    ssize_t got;
    while (child > 0 && (got = read(ends[0], piece, sizeof(piece))) > 0)
        buf_add(&output, (str){ piece, (size_t)got });
    close(ends[0]);
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    explicit_bzero(piece, sizeof(piece));
    *ret_output = buf_str(&output);
    return child > 0 && sent && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool
failed(struct cli *cli, int status)
{
    if (status == NOT_THERE)
        cli_say(cli, "there is no secret-tool (Debian: libsecret-tools): log in without --secret-service");
    else
        cli_say(cli, "the desktop's secret service failed: is it running and unlocked?");
    return false;
}

bool
secret_service_store(struct cli *cli, const char *profile, str secret)
{
    str label = str_format(cli->arena, "Reeve, profile %s", profile), output;
    const char *arguments[] = { "secret-tool", "store",   "--label", label.data, "service",
                                "reeve",       "profile", profile,   NULL };
    int status = run_tool(cli, arguments, secret, &output);
    return status == 0 || failed(cli, status);
}

bool
secret_service_look_up(struct cli *cli, const char *profile, str *ret_secret)
{
    const char *arguments[] = { "secret-tool", "lookup", "service", "reeve", "profile", profile, NULL };
    int status = run_tool(cli, arguments, STR_EMPTY, ret_secret);
    return (status == 0 && ret_secret->len > 0) || failed(cli, status);
}

void
secret_service_forget(struct cli *cli, const char *profile)
{
    const char *arguments[] = { "secret-tool", "clear", "service", "reeve", "profile", profile, NULL };
    str output;
    if (run_tool(cli, arguments, STR_EMPTY, &output) == NOT_THERE)
        cli_note(cli, "there is no secret-tool: the profile's secrets stay in the secret service");
}
