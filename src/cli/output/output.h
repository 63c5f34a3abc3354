/* SPDX-License-Identifier: Apache-2.0 */
/* How an answer is shown: tables on a terminal, the bytes of the API in a pipe, picked fields with --query. */
#ifndef CLI_OUTPUT_OUTPUT_H
#define CLI_OUTPUT_OUTPUT_H

#include "cli/cli.h"
#include "cli/client.h"

/* The exit status. `command` NULL: of `reeve api`. */
MUST_USE int output_answer(struct cli *cli, const struct command *command, const struct answer *answer);
/* Checks the options about output before anything is sent, and prints what is wrong. */
MUST_USE bool output_check(struct cli *cli);
/* Whether a person reads the output. */
bool output_is_for_people(const struct cli *cli);
/* Prints the error, what to do about it and where it is explained. Returns the exit status. */
MUST_USE int output_error(struct cli *cli, const struct answer *answer);
/* The same with another first sentence, where the command line knows better what was meant. Empty: the API's. */
MUST_USE int output_error_as(struct cli *cli, const struct answer *answer, str sentence);
/* Prints what is known about an error code. 0, or EXIT_USAGE when there is no such code. */
MUST_USE int output_explain(struct cli *cli, const char *code);

#endif
