/* SPDX-License-Identifier: Apache-2.0 */
/* How an answer is shown: tables on a terminal, the bytes of the API in a pipe, picked fields with --query. */
#ifndef CLI_OUTPUT_OUTPUT_H
#define CLI_OUTPUT_OUTPUT_H

#include "cli/cli.h"
#include "cli/client.h"

/* The exit status. `command` NULL: of `reeve api`. */
MUST_USE int output_answer(struct cli *cli, const struct command *command, const struct answer *answer);
/* What was wrong with the options about output, said before anything is sent. */
MUST_USE bool output_check(struct cli *cli);
/* Whether people are to read it. */
bool output_is_for_people(const struct cli *cli);
/* Says what the error document says, what to do about it and where it is explained. The exit status. */
MUST_USE int output_error(struct cli *cli, const struct answer *answer);
/* What is known about an error code: 0, or EXIT_USAGE when nobody knows it. */
MUST_USE int output_explain(struct cli *cli, const char *code);

#endif
