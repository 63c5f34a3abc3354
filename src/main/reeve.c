/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve`: the command line. The environment is read here and handed on. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/cli.h"

int
main(int argc, char **argv)
{
    const struct environment environment = {
        .home = getenv("HOME"),
        .config_home = getenv("XDG_CONFIG_HOME"),
        .profile = getenv("REEVE_PROFILE"),
        .server = getenv("REEVE_SERVER"),
        .ca_file = getenv("REEVE_CA_FILE"),
        .client_id = getenv("REEVE_CLIENT_ID"),
        .client_secret = getenv("REEVE_CLIENT_SECRET"),
        .client_token_file = getenv("REEVE_CLIENT_TOKEN_FILE"),
        .public_key = getenv("REEVE_PUBLIC_KEY"),
        .private_key = getenv("REEVE_PRIVATE_KEY"),
        .project = getenv("REEVE_PROJECT_ID"),
        .org = getenv("REEVE_ORG_ID"),
        .docs = getenv("REEVE_DOCS"),
        .operator_url = getenv("REEVE_OPERATOR_URL"),
        .operator_token = getenv("REEVE_OPERATOR_TOKEN"),
        .no_color = getenv("NO_COLOR"),
        .term = getenv("TERM"),
        .columns = getenv("COLUMNS"),
        .pg_password = getenv("PGPASSWORD"),
        .has_display = getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL,
    };
    signal(SIGPIPE, SIG_IGN); /* `reeve … | head` ends with a status, not with a signal */
    return cli_main(&environment, argc, (const char *const *)(uintptr_t)argv);
}
