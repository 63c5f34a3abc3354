/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for an operation: its steps and how far it is, drawn on a terminal, as lines elsewhere. */
#ifndef CLI_OUTPUT_PROGRESS_H
#define CLI_OUTPUT_PROGRESS_H

#include <jansson.h>

#include "cli/cli.h"
#include "cli/client.h"

/*
 * Polls until the operation has ended. EXIT_SUCCESS: it is done; EXIT_NOT_DONE: it failed or was cancelled, and that
 * was printed; EXIT_INTERRUPTED: Ctrl-C, and how to continue was printed. `target` is path and query on the server.
 */
MUST_USE int progress_wait(struct cli *cli, struct client *client, str target, struct answer *ret_last);
/* The same for a command that does nothing else; in a pipe the document that it ended with is printed. */
MUST_USE int progress_show(struct cli *cli, str target);
/* "https://host/api/…" without the server, whose own name may differ from ours. */
str progress_target(const struct cli *cli, str address);

/* The commands that show the progress of this one: "operations", "fleet jobs". */
const char *progress_commands(const struct command *command);

/* The bar, without its end of line; for tests. */
str progress_bar(struct arena *arena, int64_t percent, int width);

#endif
