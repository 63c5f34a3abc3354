/* SPDX-License-Identifier: Apache-2.0 */
/* One run of `reeve`: what the environment, the profile and the command line say. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output/terminal.h"

/* What main() read; NULL where nothing is set. */
struct environment {
    const char *home, *config_home, *profile, *server, *ca_file, *client_id, *client_secret, *client_token_file,
        *public_key, *private_key, *project, *org, *docs, *operator_url, *operator_token, *no_color, *term, *columns,
        *pg_password; /* that psql finds there by itself */
    bool has_display; /* a browser could be opened on this machine */
};

/* Exit statuses, as documented. */
enum { EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_NO_ANSWER = 3, EXIT_NOT_DONE = 4, EXIT_INTERRUPTED = 130 };

struct profile;
struct cli {
    struct arena *arena;
    struct environment environment;
    struct terminal terminal;
    struct call call;
    struct profile *profile; /* never NULL once the command runs */
};

/* The whole program; returns its exit status. */
int cli_main(const struct environment *environment, int argc, const char *const *argv);

/* A sentence on standard error, with the program's name in front. */
void cli_say(const struct cli *cli, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same unless --quiet, and for progress only. */
void cli_note(const struct cli *cli, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
